// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NibArchive
import Testing

/// Tests of all connector kinds, including those missing from the test data.
struct ConnectionTests {
    private static let to = SampleNib.to
    /// The objects 1 and 2 are source and destination, 3 is the label, 4 is an array of both, and 5 is a text.
    private static let ends: [SampleNib.Object] = [
        ("NSObject", []), ("Source", []), ("Destination", []), SampleNib.text("label"), SampleNib.array([1, 2]),
        SampleNib.text("text"),
    ]

    private static func entries(_ prefix: String, destination: Int? = 2) -> [(key: String, value: NibValue)] {
        let ends = [("\(prefix)Source", to(1)), ("\(prefix)Label", to(3))]
        return ends.map { (key: $0.0, value: $0.1) }
            + (destination.map { [(key: "\(prefix)Destination", value: to($0))] } ?? [])
    }

    /// A connector with its expected kind, source, label and destinations.
    typealias Row = (connector: SampleNib.Object, kind: NibConnection.Kind, ends: [String?])

    static let rows: [Row] = [
        (("UIRuntimeOutletConnection", entries("UI")), .outlet, ["Source", "label", "Destination"]),
        (("NSNibOutletConnector", entries("NS")), .outlet, ["Source", "label", "Destination"]),
        (
            ("UIRuntimeOutletCollectionConnection", entries("UI", destination: 4)), .outletCollection,
            ["Source", "label", "Source", "Destination"]
        ),
        (
            ("NSNibOutletCollectionConnector", entries("NS", destination: 4)), .outletCollection,
            ["Source", "label", "Source", "Destination"]
        ),
        (
            ("UIRuntimeEventConnection", entries("UI") + [("UIEventMask", .int32(1 << 17))]),
            .action(events: 1 << 17), ["Source", "label", "Destination"]
        ),
        // An action for the First Responder.
        (("UIRuntimeEventConnection", entries("UI", destination: nil)), .action(events: nil), ["Source", "label"]),
        (("NSNibControlConnector", entries("NS")), .action(events: nil), ["Source", "label", "Destination"]),
        (
            ("NSNibAuxiliaryActionConnector", entries("NS") + [("NSTrigger", to(5))]), .action(events: nil),
            ["Source", "label", "Destination"]
        ),
        (
            ("NSNibBindingConnector", entries("NS") + [("NSBinding", to(3)), ("NSKeyPath", to(5))]),
            .binding(name: "label", keyPath: "text"), ["Source", "label", "Destination"]
        ),
        (
            ("NSIBHelpConnector", entries("NS")), .other(className: "NSIBHelpConnector"),
            ["Source", "label", "Destination"]
        ),
        (
            ("UIRuntimeAccessibilityConfiguration", [("UIAccessibileObject", to(1)), ("UIAccessibilityHint", to(5))]),
            .accessibility, ["Source", "UIAccessibilityHint", "NSString"]
        ),
        (
            (
                "NSNibAXAttributeConnector",
                [
                    ("AXDestinationArchiveKey", to(1)), ("AXAttributeTypeArchiveKey", to(3)),
                    ("AXAttributeValueArchiveKey", to(5)),
                ]
            ), .accessibility, ["Source", "label", "NSString"]
        ),
        (
            (
                "NSIBUserDefinedRuntimeAttributesConnector",
                [("NSObject", to(1)), ("NSKeyPaths", to(7)), ("NSValues", to(8))]
            ), .runtimeAttribute, ["Source", "label", "NSString"]
        ),
        (
            ("UINibKeyValuePair", [("UIObject", to(1)), ("UIKeyPath", to(3)), ("UIValue", to(5))]),
            .runtimeAttribute, ["Source", "label", "NSString"]
        ),
        (
            (
                "UIStoryboardShowSegueTemplate",
                [("UIIdentifier", to(3)), ("UIDestinationViewControllerIdentifier", to(5))]
            ), .other(className: "UIStoryboardShowSegueTemplate"), [nil, "label", "NSString"]
        ),
    ]

    @Test("Each connector gives a connection of its kind", arguments: rows.indices)
    func kinds(index: Int) throws {
        let row = Self.rows[index]
        let nib = try SampleNib.make(Self.ends + [row.connector, SampleNib.array([3]), SampleNib.array([5])])
        // The nib read from the written bytes has the same connections.
        for nib in [nib, try Nib(data: nib.nibArchive)] {
            let connection = try #require(nib.connections.first)
            #expect(nib.connections.count == 1)
            #expect(connection.kind == row.kind)
            let ends: [String?] = [connection.source.map(nib.className), connection.label]
            #expect(ends + connection.destinations.map(nib.className) == row.ends)
        }
    }

    @Test("All attributes of an accessibility configuration are connections of its object")
    func accessibility() throws {
        let nib = try SampleNib.make(
            Self.ends + [
                (
                    "UIRuntimeAccessibilityConfiguration",
                    [
                        ("UIAccessibileObject", SampleNib.to(1)), ("UIAccessibilityLabel", SampleNib.to(5)),
                        ("UIAccessibilityTraits", SampleNib.to(7)), ("UIIsAccessibilityElement", SampleNib.to(7)),
                    ]
                ), ("NSNumber", [("NS.intval", .int8(1))]),
            ])
        #expect(
            nib.connections.map(\.label) == [
                "UIIsAccessibilityElement", "UIAccessibilityLabel", "UIAccessibilityTraits",
            ])
        #expect(nib.texts.map(\.text) == ["text"])
    }

    @Test("The XML of Interface Builder up to version 3 for UIKit has outlets, events and placeholders")
    func designArchiveOfUIKit() throws {
        let nib = try Nib(
            data: """
                <?xml version="1.0"?><archive type="com.apple.InterfaceBuilder3.CocoaTouch.XIB" version="8.00"><data>
                <array class="NSMutableArray" key="IBDocument.RootObjects" id="1">
                  <object class="IBProxyObject" id="2"><string key="IBProxiedObjectIdentifier">IBFilesOwner</string></object>
                  <object class="IBProxyObject" id="3"><string key="IBProxiedObjectIdentifier">IBFirstResponder</string></object>
                  <object class="IBUIView" id="4"><array class="NSMutableArray" key="NSSubviews"><object class="IBUIButton" id="5"/></array></object>
                </array>
                <object class="IBObjectContainer" key="IBDocument.Objects"><array class="NSMutableArray" key="connectionRecords">
                  <object class="IBConnectionRecord"><object class="IBCocoaTouchOutletConnection" key="connection">
                    <string key="label">view</string><reference key="source" ref="2"/><reference key="destination" ref="4"/></object></object>
                  <object class="IBConnectionRecord"><object class="IBCocoaTouchOutletCollectionConnection" key="connection">
                    <string key="label">buttons</string><reference key="source" ref="2"/><reference key="destination" ref="5"/></object></object>
                  <object class="IBConnectionRecord"><object class="IBCocoaTouchEventConnection" key="connection">
                    <string key="label">save:</string><reference key="source" ref="5"/><reference key="destination" ref="2"/>
                    <int key="IBEventType">7</int></object></object>
                </array></object></data></archive>
                """.utf8)
        #expect(nib.isUIKit)
        #expect(nib.outlets == [["IBProxyObject", "view", "IBUIView"]])
        #expect(nib.ends { $0 == .outletCollection } == [["IBProxyObject", "buttons", "IBUIButton"]])
        #expect(nib.ends { $0 == .action(events: 7) } == [["IBUIButton", "save:", "IBProxyObject"]])
        #expect(nib.placeholder(for: try #require(nib.connections.first?.source)) == .filesOwner)
    }

    @Test("A storyboard has the objects of all its scenes, and its segues")
    func storyboard() throws {
        let nib = try Nib(
            data: """
                <document type="com.apple.InterfaceBuilder3.CocoaTouch.Storyboard.XIB" targetRuntime="iOS.CocoaTouch"><scenes>
                <scene sceneID="a"><objects>
                  <viewController id="b" customClass="Start"><view key="view" id="c"/><connections>
                    <outlet property="main" destination="c" id="d"/><segue destination="e" kind="show" identifier="next" id="f"/>
                  </connections></viewController>
                  <placeholder placeholderIdentifier="IBFirstResponder" id="g" sceneMemberID="firstResponder"/></objects></scene>
                <scene sceneID="h"><objects><viewController id="e"/></objects></scene>
                </scenes></document>
                """.utf8)
        #expect(nib.hierarchy.topLevel.map(nib.label) == ["Start", "UIViewController"])
        #expect(nib.outlets == [["UIClassSwapper", "main", "UIView"]])
        #expect(
            nib.ends { $0 == .other(className: "UIStoryboardSegueTemplate") } == [
                ["UIClassSwapper", "next", "UIViewController"]
            ])
    }
}
