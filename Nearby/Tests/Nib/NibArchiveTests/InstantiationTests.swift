// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NibArchive
import Testing

private final class View: NibDecodable {
    var subviews: [AnyObject] = []
    var hasDecoded = false

    func decode(from coder: any NibCoder) throws {
        subviews = try coder.decode([AnyObject].self, forKey: "UISubviews") ?? []
        hasDecoded = true
    }
}

private class Button: NibDecodable, NibActionSender, NibAttributeReceiver, NibAwakening {
    @Outlet(nil, .weak) var superview: View?
    var title = ""
    var tag = 0
    var alpha = 1.0
    var actions: [NibAction] = []
    var attributes: [String: Int] = [:]
    var journal: Journal?

    func decode(from coder: any NibCoder) throws {
        superview = try coder.decode(forKey: "UISuperview")
        title = try coder.decode(forKey: "UITitle") ?? ""
        tag = try coder.decode(forKey: "UITag") ?? 0
        alpha = try coder.decode(forKey: "UIAlpha") ?? 1
    }

    func bind(_ action: NibAction) { actions.append(action) }

    func setAttribute(_ value: Any, forKeyPath keyPath: String) { attributes[keyPath] = value as? Int }

    func awakeFromNib() { journal?.lines.append("\(type(of: self)) with \(actions.count) actions") }
}

private final class FancyButton: Button {}

private final class Journal {
    var lines: [String] = []
}

private class Controller: NibActionTarget {
    @Outlet var view: View?
    @Outlet("save") var saveButton: Button?
    @OutletCollection var buttons: [Button]
    var saved: [AnyObject?] = []

    init() { buttons = [] }

    func action(_ selector: String) -> ((AnyObject?) -> Void)? {
        selector == "save:" ? { [weak self] in self?.saved.append($0) } : nil
    }
}

private final class SubController: Controller {}

private final class WrongController: NibActionTarget {
    @Outlet var view: Button?
    @Outlet var save: Button?
    @OutletCollection var buttons: [Button] = []

    func action(_ selector: String) -> ((AnyObject?) -> Void)? { { _ in } }
}

/// Tests that objects are created from a nib, connected and awakened.
struct InstantiationTests {
    private static func registry(_ journal: Journal = Journal(), strict: Bool = false) -> NibRegistry {
        var registry = NibRegistry(strict: strict)
        registry.register("UIView") { View() }
        registry.register("UIButton") {
            let button = Button()
            button.journal = journal
            return button
        }
        registry.register("FancyButton") {
            let button = FancyButton()
            button.journal = journal
            return button
        }
        return registry
    }

    @Test("The owner's outlets, including inherited ones, are set to objects of the registry's classes")
    func outlets() throws {
        let owner = SubController()
        let instance = try SampleNib.controller().instantiate(owner: owner, registry: Self.registry(strict: true))
        #expect(owner.view?.hasDecoded == true)
        #expect(owner.view?.subviews.count == 2)
        #expect(owner.saveButton?.title == "Save")
        #expect(owner.saveButton?.tag == 7)
        #expect(owner.saveButton?.alpha == 0.5)
        #expect(owner.saveButton?.superview === owner.view)
        #expect(owner.saveButton?.attributes == ["layer.cornerRadius": 4])
        #expect(owner.buttons.count == 2)
        #expect(owner.buttons.last is FancyButton)
        #expect(instance.topLevelObjects.count == 1)
        #expect(instance.topLevelObjects.first === owner.view)
        #expect(instance.unconnected.isEmpty)
    }

    @Test("Actions are bound to the owner and the First Responder, and awakeFromNib follows in file order")
    func actions() throws {
        let (owner, responder, journal) = (Controller(), Controller(), Journal())
        let instance = try SampleNib.controller().instantiate(owner: owner, registry: Self.registry(journal))
        #expect(journal.lines == ["Button with 1 actions", "FancyButton with 1 actions"])
        let action = try #require(owner.saveButton?.actions.first)
        #expect(action.selector == "save:")
        #expect(action.events == 64)
        #expect(action.send())
        #expect(owner.saved.count == 1)
        #expect(owner.saved.compactMap(\.self).first === owner.saveButton)
        let second = try #require(instance.actions.last)
        #expect(second.isForFirstResponder)
        #expect(!second.send())
        #expect(second.send(firstResponder: responder))
        #expect(responder.saved.count == 1)
    }

    @Test("An outlet of another type is rejected")
    func typeChecking() throws {
        #expect(
            throws: NibInstantiationError.outletTypeMismatch(
                label: "view", source: "WrongController", expected: "Button", found: "View")
        ) { try SampleNib.controller().instantiate(owner: WrongController(), registry: Self.registry()) }
    }

    @Test("Without an owner, the owner's connections are rejected")
    func noOwner() throws {
        #expect(throws: NibInstantiationError.noOwner(label: "view")) {
            try SampleNib.controller().instantiate(registry: Self.registry())
        }
    }

    @Test("Unknown classes become generic objects, and a strict registry rejects them")
    func unknownClasses() throws {
        final class Owner {}
        let owner = Owner()
        let instance = try SampleNib.controller().instantiate(owner: owner)
        let view = try #require(instance.topLevelObjects.first as? NibGenericObject)
        #expect(view.className == "UIView")
        let buttons = try #require(view.attributes["UISubviews"] as? [NibGenericObject])
        #expect(buttons.map(\.className) == ["UIButton", "FancyButton"])
        #expect(buttons.first?.attributes["UITitle"] as? String == "Save")
        #expect(buttons.first?.attributes["UISuperview"] as? NibGenericObject === view)
        // The owner supports neither the outlets nor the action.
        #expect(instance.unconnected.map(\.label) == ["view", "save", "buttons", "save:"])
        #expect(throws: NibInstantiationError.unknownClass("UIView")) {
            try SampleNib.controller().instantiate(owner: owner, registry: NibRegistry(strict: true))
        }
    }

    @Test("Generic objects in cycles are released with their instance")
    func release() throws {
        weak var view: AnyObject?
        do {
            let instance = try SampleNib.controller().instantiate(owner: Controller(), registry: NibRegistry())
            view = instance.topLevelObjects.first
            #expect(view != nil)
        } catch {
            // The owner's outlets do not have the type of generic objects.
            #expect(error is NibInstantiationError)
        }
        #expect(view == nil)
    }

    @Test("A chain of 20,000 objects and arrays that contain themselves do not exhaust the stack or memory")
    func depth() throws {
        let count = 20_000
        var objects: [SampleNib.Object] = [
            ("NSObject", [("UINibTopLevelObjectsKey", SampleNib.to(1)), ("UINibObjectsKey", SampleNib.to(1))]),
            SampleNib.array([2]),
        ]
        for place in 2..<count {
            objects.append(("UIView", [("UINext", SampleNib.to(place + 1)), ("UIFirst", SampleNib.to(2))]))
        }
        objects.append(("UIView", []))
        let instance = try SampleNib.make(objects).instantiate()
        #expect(instance.object(NibReference(count)) is NibGenericObject)

        objects[2] = ("UIView", [("UISubviews", SampleNib.to(3))])
        objects[3] = SampleNib.array([3])
        #expect(throws: NibInstantiationError.tooDeep(className: "NSArray")) {
            try SampleNib.make(objects).instantiate()
        }
    }

    @Test("The connections of an AppKit interface are set on its owner, its delegate and its external objects")
    func appKit() throws {
        guard TestData.folder != nil else { return }
        final class Application: NibAwakening {
            @Outlet var delegate: AnyObject?
            var isAwake = false

            func awakeFromNib() { isAwake = true }
        }
        final class AppDelegate: NibActionTarget {
            @Outlet var menu: NibGenericObject?
            @Outlet var donateWindow: NibGenericObject?
            var shown = 0

            func action(_ selector: String) -> ((AnyObject?) -> Void)? { { [weak self] _ in self?.shown += 1 } }
        }
        for file in ["keyedobjects-101300.nib", "keyedobjects.nib"] {
            let owner = Application()
            var registry = NibRegistry()
            registry.register("AppDelegate") { AppDelegate() }
            let nib = try TestData.nib("caffeine/English.lproj/MainMenu.nib/\(file)")
            let instance = try nib.instantiate(
                owner: owner, externalObjects: ["NSApplication": owner], registry: registry)
            let delegate = try #require(owner.delegate as? AppDelegate)
            #expect(delegate.menu?.attributes["NSTitle"] as? String == "Menu")
            #expect(delegate.donateWindow?.className == "NSWindow")
            #expect(instance.actions.count == 21)
            // The application object supports no actions in this test.
            #expect(instance.unconnected.filter { $0.label == "terminate:" }.count == 2)
            #expect(instance.actions.count { $0.target === delegate && $0.send() } == delegate.shown)
            #expect(owner.isAwake)
        }
    }

    @Test("Every compiled interface can be instantiated with generic objects", arguments: TestData.rows)
    func everyFile(row: TestData.Row) throws {
        let nib = try TestData.nib(row.file)
        let identifiers = nib.references.compactMap { object -> String? in
            guard case .external(let identifier)? = nib.placeholder(for: object) else { return nil }
            return identifier
        }
        final class External {}
        let external = External()
        let instance = try nib.instantiate(
            owner: external, externalObjects: Dictionary(identifiers.map { ($0, external) }) { first, _ in first })
        #expect(instance.topLevelObjects.count == nib.hierarchy.topLevel.count)
    }

    @Test("A localized string gets its translation")
    func translations() throws {
        guard TestData.folder != nil else { return }
        let nib = try TestData.nib("samples/correct/Base.lproj/sb_localized.out/MainMenu.nib")
        let instance = try nib.instantiate(owner: Journal(), translations: ["mm1-00-001.title": "Hauptmenü"])
        let titles = instance.topLevelObjects.compactMap { ($0 as? NibGenericObject)?.attributes["NSTitle"] as? String }
        #expect(titles == ["Hauptmenü"])
    }
}
