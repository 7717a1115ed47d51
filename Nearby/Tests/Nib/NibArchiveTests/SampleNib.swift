// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NibArchive

/// A small UIKit nib for tests: a controller's view with two buttons.
enum SampleNib {
    /// An object: a class and its values.
    typealias Object = (className: String, entries: [(key: String, value: NibValue)])

    /// Returns a nib of objects that refer to each other by their indices in the array.
    static func make(_ objects: [Object], coderVersion: UInt32 = 9) throws -> Nib {
        var keys: [String] = []
        var values: [NibEntry] = []
        var classes: [NibClass] = []
        var table: [NibObject] = []
        for (className, entries) in objects {
            let first = values.count
            for (key, value) in entries {
                if !keys.contains(key) { keys.append(key) }
                values.append(NibEntry(keyIndex: keys.firstIndex(of: key) ?? 0, value: value))
            }
            if !classes.contains(where: { $0.name == className }) { classes.append(NibClass(className)) }
            let place = classes.firstIndex { $0.name == className } ?? 0
            table.append(NibObject(classIndex: place, values: entries.isEmpty ? 0..<0 : first..<values.count))
        }
        return try Nib(
            encoding: .nibArchive(formatVersion: 1, coderVersion: coderVersion), objects: table, keys: keys,
            values: values, classes: classes)
    }

    static func text(_ text: String) -> Object { ("NSString", [("NS.bytes", .data(Array(text.utf8)))]) }

    static func array(_ places: [Int]) -> Object {
        ("NSArray", [("NSInlinedValue", .bool(true))] + places.map { (Nib.emptyKey, to($0)) })
    }

    static func to(_ place: Int) -> NibValue { .object(NibReference(place)) }

    /// Returns a nib with the owner's outlets `view`, `save` and `buttons`, and an action of the owner.
    static func controller() throws -> Nib {
        try make([
            (
                "NSObject",
                [
                    ("UINibTopLevelObjectsKey", to(1)), ("UINibObjectsKey", to(2)), ("UINibConnectionsKey", to(3)),
                    ("UINibKeyValuePairsKey", to(22)),
                ]
            ),
            array([4, 5, 6]),
            array([6, 7, 8]),
            array([9, 10, 11, 12, 13]),
            ("UIProxyObject", [("UIProxiedObjectIdentifier", to(14))]),
            ("UIProxyObject", [("UIProxiedObjectIdentifier", to(15))]),
            (
                "UIView",
                [
                    ("UISubviews", to(16)), ("UIBounds", .data(doubles(0, 0, 320, 480))),
                    ("UICenter", .data(doubles(160, 240))),
                ]
            ),
            ("UIButton", [("UISuperview", to(6)), ("UITitle", to(17)), ("UITag", .int8(7)), ("UIAlpha", .float(0.5))]),
            (
                "UIClassSwapper",
                [("UIClassName", to(18)), ("UIOriginalClassName", to(19)), ("UISuperview", to(6)), ("UITitle", to(17))]
            ),
            outlet("view", 20, 4, 6),
            outlet("save", 21, 4, 7),
            (
                "UIRuntimeOutletCollectionConnection",
                [("UILabel", to(23)), ("UISource", to(4)), ("UIDestination", to(24))]
            ),
            (
                "UIRuntimeEventConnection",
                [("UILabel", to(25)), ("UISource", to(7)), ("UIDestination", to(4)), ("UIEventMask", .int8(64))]
            ),
            (
                "UIRuntimeEventConnection",
                [("UILabel", to(25)), ("UISource", to(8)), ("UIDestination", to(5)), ("UIEventMask", .int8(64))]
            ),
            text("IBFilesOwner"), text("IBFirstResponder"), array([7, 8]), text("Save"), text("FancyButton"),
            text("UIButton"), text("view"), text("save"), array([26]), text("buttons"), array([7, 8]), text("save:"),
            ("UINibKeyValuePair", [("UIObject", to(7)), ("UIKeyPath", to(27)), ("UIValue", to(28))]),
            text("layer.cornerRadius"), ("NSNumber", [("NS.intval", .int8(4))]),
        ])
    }

    private static func outlet(_ label: String, _ place: Int, _ source: Int, _ destination: Int) -> Object {
        (
            "UIRuntimeOutletConnection",
            [("UILabel", to(place)), ("UISource", to(source)), ("UIDestination", to(destination))]
        )
    }

    /// Returns numbers in UIKit's encoding.
    static func doubles(_ numbers: Double...) -> [UInt8] {
        [7] + numbers.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number.bitPattern >> ($0 * 8)) } }
    }
}
