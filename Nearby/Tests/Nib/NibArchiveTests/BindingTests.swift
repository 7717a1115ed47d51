// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NibArchive
import Testing

/// Tests that bindings are passed to objects that support them.
struct BindingTests {
    private final class Field: NibBindable, NibActionSender, NibAwakening {
        var events: [String] = []

        func bind(_ binding: String, to object: AnyObject, keyPath: String, options: [String: Any]) {
            let names = options.keys.sorted().map { "\($0)=\(options[$0] ?? "")" }
            events.append("bind \(binding) to \(type(of: object)) \(keyPath) \(names)")
        }

        func bind(_ action: NibAction) { events.append("action \(action.selector)") }

        func awakeFromNib() { events.append("awake") }
    }

    private final class Owner {}

    @Test("A real interface binds a field to its owner, with the options of Interface Builder")
    func realFile() throws {
        guard TestData.folder != nil else { return }
        var events: [[String]] = []
        for file in ["binding_options_order.nib", "binding_options_order.xib"] {
            var registry = NibRegistry()
            let field = Field()
            registry.register("NSTextField") { field }
            let owner = Owner()
            let instance = try TestData.nib("samples/correct/\(file)").instantiate(owner: owner, registry: registry)
            #expect(instance.unconnected.isEmpty)
            events.append(field.events)
        }
        #expect(events[0].last == "awake")
        #expect(events[0].first?.hasPrefix("bind enabled2 to Owner isActive [\"NS") == true)
        #expect(events[0] == events[1])
    }

    @Test("Generic objects store the bindings of a real interface")
    func genericObjects() throws {
        guard TestData.folder != nil else { return }
        let nib = try TestData.nib("caffeine/English.lproj/MainMenu.nib/keyedobjects-101300.nib")
        let instance = try nib.instantiate(owner: Owner())
        let bindings = nib.references.compactMap { instance.object($0) as? NibGenericObject }.flatMap(\.bindings)
        #expect(
            bindings.map(\.keyPath).sorted() == [
                "startsAtLogin", "values.ActivateOnLaunch", "values.DefaultDuration", "values.SuppressLaunchMessage",
            ])
        #expect(bindings.filter { !$0.options.isEmpty }.map(\.name) == ["value"])
    }

    /// Returns a nib of a field with an action and three bindings; the second binding names `previous` as its previous
    /// one.
    private static func nib(previous: Int) throws -> Nib {
        func to(_ place: Int) -> NibValue { .object(NibReference(place)) }
        func binding(_ label: Int, _ more: [(key: String, value: NibValue)] = []) -> SampleNib.Object {
            (
                "NSNibBindingConnector",
                [
                    ("NSSource", to(2)), ("NSDestination", to(2)), ("NSBinding", to(label)), ("NSKeyPath", to(label)),
                    ("NSLabel", to(label)),
                ] + more
            )
        }
        return try SampleNib.make(
            [
                ("NSObject", [("IB.objectdata", to(1))]),
                (
                    "NSIBObjectData",
                    [("NSRoot", to(3)), ("NSObjectsKeys", to(4)), ("NSObjectsValues", to(5)), ("NSConnections", to(6))]
                ),
                ("NSTextField", []), ("NSCustomObject", []), SampleNib.array([2]), SampleNib.array([3]),
                SampleNib.array([7, 8, 9, 10]), binding(11), binding(12, [("NSPreviousConnector", to(previous))]),
                binding(13, [("NSPreviousConnector", to(previous == 8 ? 8 : 7))]),
                ("NSNibControlConnector", [("NSSource", to(2)), ("NSLabel", to(14))]),
                SampleNib.text("a"), SampleNib.text("b"), SampleNib.text("c"), SampleNib.text("save:"),
            ], coderVersion: 10)
    }

    @Test(
        "Bindings are set after actions and before awakeFromNib, each after its previous one",
        arguments: [(previous: 9, order: ["a", "c", "b"]), (previous: 8, order: ["a", "b", "c"])])
    func order(previous: Int, order: [String]) throws {
        let field = Field()
        var registry = NibRegistry()
        registry.register("NSTextField") { field }
        _ = try Self.nib(previous: previous).instantiate(owner: Owner(), registry: registry)
        #expect(
            field.events == ["action save:"] + order.map { "bind \($0) to Field \($0) []" } + ["awake"])
    }

    @Test("A strict registry rejects an object without support for bindings, and another one lists the bindings")
    func noBindings() throws {
        final class Plain {}
        for isStrict in [true, false] {
            var registry = NibRegistry(strict: isStrict)
            registry.register("NSTextField") { Plain() }
            let nib = try Self.nib(previous: 9)
            if isStrict {
                #expect(throws: NibInstantiationError.noBindings(binding: "a", source: "Plain")) {
                    try nib.instantiate(owner: Owner(), registry: registry)
                }
            } else {
                let instance = try nib.instantiate(owner: Owner(), registry: registry)
                #expect(instance.unconnected.map(\.label) == ["a", "c", "b"])
            }
        }
    }
}
