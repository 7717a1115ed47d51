// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A user-visible text of a nib, such as a button's title.
public struct NibText: Hashable, Sendable {
    /// The identifier of the text in this file.
    ///
    /// It is the key that Interface Builder assigned to a localized string; otherwise it is the number of the object
    /// with the text and the key of the value, such as `12.NSContents`.
    public let identifier: String
    /// The object that has the text.
    public let object: NibReference
    /// The key of the object's value.
    public let key: String
    /// The text.
    public let text: String
}

/// A mismatch between an entry of a translation file and a nib.
public enum TranslationProblem: Hashable, Sendable {
    /// The nib has no text with this key.
    case unknownKey(String)
    /// The text in the nib differs from the original text of the translation.
    case originalMismatch(String, expected: String, found: String)
    /// An earlier entry has the same key and a different text.
    case repeatedKey(String)

    /// The key of the entry.
    public var key: String {
        switch self {
        case .unknownKey(let key), .originalMismatch(let key, _, _), .repeatedKey(let key): key
        }
    }
}

extension TranslationProblem: CustomStringConvertible {
    /// The problem as a clause that follows the key.
    public var description: String {
        switch self {
        case .unknownKey(let key): "\"\(key)\": the interface has no text of this key"
        case .originalMismatch(let key, let expected, let found):
            "\"\(key)\": the text is \"\(found)\", and \"\(expected)\" was translated"
        case .repeatedKey(let key): "\"\(key)\": an earlier entry has another text"
        }
    }
}

extension Nib {
    /// The user-visible texts, in file order, without empty and attributed texts.
    public var texts: [NibText] { textValues.map(\.text) }

    /// Returns the entries of a translation file that do not match this nib, such as those of another build.
    ///
    /// An entry matches if the nib has a text with its key, and that text equals the entry's
    /// ``StringsFile/Entry/original``, if it has one.
    ///
    /// - Parameter file: The file.
    /// - Returns: A problem for each entry that does not match, in file order.
    public func problems(of file: StringsFile) -> [TranslationProblem] {
        let originals = Dictionary(grouping: texts, by: \.identifier).mapValues { $0.map(\.text) }
        var translations: [String: String] = [:]
        return file.entries.compactMap { entry in
            guard let own = originals[entry.key] else { return .unknownKey(entry.key) }
            if let original = entry.original, let first = own.first, !own.contains(original) {
                return .originalMismatch(entry.key, expected: original, found: first)
            }
            let earlier = translations.updateValue(entry.text, forKey: entry.key)
            return earlier ?? entry.text == entry.text ? nil : .repeatedKey(entry.key)
        }
    }

    /// Returns a copy with replaced texts.
    ///
    /// - Parameter translations: The new texts by identifier; unknown identifiers are ignored.
    /// - Returns: The nib; a string shared by several objects is copied for the object whose text is replaced.
    public func replacingTexts(_ translations: [String: String]) -> Nib {
        var (values, objects) = (values, objects)
        let uses = Dictionary(self.values.lazy.compactMap(\.value.reference).map { ($0, 1) }, uniquingKeysWith: +)
        for (text, index) in textValues {
            guard let translation = translations[text.identifier], translation != text.text,
                let string = self.values[index].value.reference
            else { continue }
            let range = self.objects[string.index].values
            let replaced = self.values[range].map { entry in
                keys[entry.keyIndex] == "NS.bytes"
                    ? NibEntry(keyIndex: entry.keyIndex, value: .data(Array(translation.utf8))) : entry
            }
            guard uses[string, default: 0] > 1 else {
                values.replaceSubrange(range, with: replaced)
                continue
            }
            // Other objects retain the string that they share.
            let first = values.count
            values += replaced
            objects.append(
                NibObject(classIndex: self.objects[string.index].classIndex, values: first..<values.count))
            values[index] = NibEntry(
                keyIndex: values[index].keyIndex, value: .object(NibReference(objects.count - 1)))
        }
        return Nib(checked: encoding, objects: objects, keys: keys, values: values, classes: classes)
    }

    /// The texts with the indices of their values.
    private var textValues: [(text: NibText, index: Int)] {
        let numbers = objectNumbers
        var found: [(text: NibText, index: Int)] = []
        for object in references {
            let name = className(of: object)
            for index in objects[object.index].values {
                let key = keys[values[index].keyIndex]
                guard Self.isShown(key, of: name), case .object(let string) = values[index].value,
                    let text = text(of: string), !text.isEmpty
                else { continue }
                let identifier =
                    self.string("NSKey", of: string) ?? "\(numbers[object] ?? "object\(object.index)").\(key)"
                found.append((NibText(identifier: identifier, object: object, key: key, text: text), index))
            }
        }
        return found
    }

    /// The numbers that Interface Builder assigned to the objects.
    private var objectNumbers: [NibReference: String] {
        guard let objectData else { return [:] }
        let pairs = zip(elements("NSOidsKeys", of: objectData), elements("NSOidsValues", of: objectData))
        return Dictionary(
            pairs.compactMap { object, number in
                value("NS.intval", of: number)?.integer.map { (object, String($0)) }
            }
        ) { first, _ in first }
    }

    private static func isShown(_ key: String, of className: String) -> Bool {
        switch key {
        // Connectors also have labels.
        case "NSLabel": className == "NSTabViewItem"
        case "NSMarker": className == "NSIBHelpConnector"
        case "UIValue": className == "UINibKeyValuePair"
        default: shownKeys.contains(key)
        }
    }

    private static let shownKeys: Set = [
        "AXAttributeValueArchiveKey", "NSAlternateContents", "NSContents", "NSPlaceholderString",
        "NSSegmentItemLabel", "NSTitle", "NSToolTip", "NSToolbarItemLabel", "NSToolbarItemPaletteLabel",
        "NSToolbarItemTitle", "NSToolbarItemToolTip", "NSWindowSubtitle", "NSWindowTitle", "UIAccessibilityHint",
        "UIAccessibilityLabel", "UIAccessibilityValue", "UIPlaceholder", "UIPrompt", "UIText", "UITitle",
    ]
}
