// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Reads the XML format of Interface Builder since version 3: an element for each object, which contains its
/// connections.
///
/// Objects get the class names of a compiled file. Their attributes become text values under the attribute names.
struct DesignDocumentReader {
    private var builder = NibBuilder()
    private let isUIKit: Bool
    /// The objects of the elements, by identifier.
    private var identified: [String: NibReference] = [:]
    private var firstResponder: NibReference?
    private var connections: [NibReference] = []
    private var children: [NibReference] = []
    private var parents: [NibReference] = []

    /// Returns the nib of a `document` element.
    static func nib(of document: XMLElement) throws(NibError) -> Nib {
        // In a storyboard, each scene has objects.
        let lists =
            document.child("objects").map { [$0] }
            ?? document.child("scenes")?.children.compactMap { $0.child("objects") }
        guard let objects = lists?.flatMap(\.children) else { throw .noArchive }
        let isUIKit = document["targetRuntime"].map { !$0.hasPrefix("MacOSX") } ?? false
        var reader = DesignDocumentReader(isUIKit: isUIKit)
        return try reader.nib(of: objects)
    }

    private init(isUIKit: Bool) { self.isUIKit = isUIKit }

    private mutating func nib(of objects: [XMLElement]) throws(NibError) -> Nib {
        let root = builder.reserve()
        let objectData = builder.reserve()
        objects.forEach { reserve($0) }
        // Interface Builder gives placeholders negative identifiers.
        let owner = identified[isUIKit ? "-1" : "-2"] ?? builder.add("NSCustomObject", [])
        firstResponder = isUIKit ? nil : identified["-1"]
        for element in objects { try define(element, parent: owner) }
        builder.define(
            objectData, "NSIBObjectData",
            [
                ("NSRoot", .object(owner)), ("NSConnections", builder.add(connections)),
                ("NSObjectsKeys", builder.add(children)), ("NSObjectsValues", builder.add(parents)),
            ])
        builder.define(root, "NSObject", [("IB.objectdata", .object(objectData))])
        return try builder.nib(.designableXML)
    }

    /// Reserves references for all objects, so that connections can refer to later objects.
    private mutating func reserve(_ element: XMLElement) {
        guard element.name != "connections" else {
            // A binding can refer to another binding.
            for binding in element.children where binding.name == "binding" {
                if let id = binding["id"] { identified[id] = builder.reserve() }
            }
            return
        }
        if let id = element["id"] { identified[id] = builder.reserve() }
        element.children.forEach { reserve($0) }
    }

    @discardableResult
    private mutating func define(_ element: XMLElement, parent: NibReference) throws(NibError) -> NibReference {
        let reference = element["id"].flatMap { identified[$0] } ?? builder.reserve()
        let isListed = element["id"] != nil
        if isListed, reference != firstResponder, reference != parent {
            children.append(reference)
            parents.append(parent)
        }
        var entries: [(key: String, value: NibValue)] = []
        for (name, value) in element.attributes where !Self.structural.contains(name) {
            entries.append((name, builder.add(value)))
        }
        for child in element.children {
            switch child.name {
            case "connections": try connect(child, source: reference)
            case "userDefinedRuntimeAttributes": addAttributes(child, of: reference)
            default:
                let value = try value(of: child, parent: isListed ? reference : parent)
                entries.append((child["key"] ?? child.name, value))
            }
        }
        builder.define(reference, className(of: element, entries: &entries), entries)
        return reference
    }

    /// The attributes for the element's identity, class and key, which are not values.
    private static let structural: Set = ["id", "key", "customClass", "customModule", "customModuleProvider"]

    private mutating func value(of element: XMLElement, parent: NibReference) throws(NibError) -> NibValue {
        switch element.name {
        case "nil": return .nil
        case "bool": return .bool(element["value"] == "YES")
        case "string", "mutableString": return builder.add(element.text)
        case "integer": return Int64(element["value"] ?? "").map(NibValue.integer) ?? .nil
        case "real": return Double(element["value"] ?? "").map(NibValue.double) ?? .nil
        case "rect": return builder.add("{\(pair(element, "x", "y")), \(pair(element, "width", "height"))}")
        case "point": return builder.add(pair(element, "x", "y"))
        case "size": return builder.add(pair(element, "width", "height"))
        default: break
        }
        // An element without attributes only groups others, such as `subviews`, `items` or `constraints`.
        guard element.attributes.isEmpty, !element.children.isEmpty, element.children.allSatisfy({ $0["key"] == nil })
        else { return .object(try define(element, parent: parent)) }
        var elements: [NibReference] = []
        for child in element.children {
            guard case .object(let reference) = try value(of: child, parent: parent) else { continue }
            elements.append(reference)
        }
        return builder.add(elements)
    }

    private func pair(_ element: XMLElement, _ first: String, _ second: String) -> String {
        "{\(element[first] ?? "0"), \(element[second] ?? "0")}"
    }

    /// Returns the class name of the compiled file; the entries name a custom class.
    private func className(of element: XMLElement, entries: inout [(key: String, value: NibValue)]) -> String {
        // Interface Builder compiles the application placeholder with AppKit's class, even if it was given another
        // class.
        let custom = element["id"] == "-3" ? "NSApplication" : element["customClass"]
        let archived =
            Self.classes[element.name] ?? (isUIKit ? "UI" : "NS") + element.name.prefix(1).uppercased()
            + element.name.dropFirst()
        guard let custom, !(element["id"] ?? "").hasPrefix("-") || archived == "NSCustomObject" else { return archived }
        return named(custom, element["customModule"], archived, &entries)
    }

    private func named(
        _ custom: String, _ module: String?, _ archived: String, _ entries: inout [(key: String, value: NibValue)]
    ) -> String {
        // Names of Swift classes include their module.
        let name = module.map { "_TtC\($0.utf8.count)\($0)\(custom.utf8.count)\(custom)" } ?? custom
        let prefix = isUIKit ? "UI" : "NS"
        let key = NibClass.keysOfNames[archived]
        entries.append((key ?? "\(prefix)ClassName", .data(Array(name.utf8))))
        guard key == nil || key == "NSClassName" && module != nil else { return archived }
        entries.append(("\(prefix)OriginalClassName", .data(Array(archived.utf8))))
        return "\(prefix)ClassSwapper"
    }

    /// The compiled class names of elements whose class is not the element name with a prefix.
    private static let classes = [
        "window": "NSWindowTemplate", "placeholder": "UIProxyObject", "constraint": "NSLayoutConstraint",
        "customObject": "NSCustomObject", "array": "NSArray", "mutableArray": "NSMutableArray",
        "dictionary": "NSDictionary", "mutableDictionary": "NSMutableDictionary", "set": "NSSet",
    ]
}

extension DesignDocumentReader {
    private mutating func connect(_ element: XMLElement, source: NibReference) throws(NibError) {
        let prefix = isUIKit ? "UI" : "NS"
        var collections: [(label: String, members: [NibReference])] = []
        for connection in element.children {
            let identifier = connection["destination"] ?? connection["target"]
            let destination = identifier.flatMap { identified[$0] }
            let name = connection["property"] ?? connection["selector"] ?? connection["name"]
            guard let label = name ?? (connection.name == "segue" ? connection["identifier"] ?? "" : nil) else {
                continue
            }
            if connection.name == "outletCollection" {
                guard let destination else { continue }
                if let index = collections.firstIndex(where: { $0.label == label }) {
                    collections[index].members.append(destination)
                } else {
                    collections.append((label, [destination]))
                }
                continue
            }
            var entries = [("\(prefix)Source", .object(source)), ("\(prefix)Label", builder.add(label))]
            if let destination, destination != firstResponder {
                entries.append(("\(prefix)Destination", .object(destination)))
            }
            switch connection.name {
            case "outlet": add(isUIKit ? "UIRuntimeOutletConnection" : "NSNibOutletConnector", entries)
            case "segue": add("\(prefix)StoryboardSegueTemplate", entries)
            case "action": add(isUIKit ? "UIRuntimeEventConnection" : "NSNibControlConnector", entries)
            case "binding":
                entries.append(("NSBinding", builder.add(label)))
                entries.append(("NSKeyPath", builder.add(connection["keyPath"] ?? "")))
                if let options = connection.children.first(where: { $0["key"] == "options" }) {
                    entries.append(("NSOptions", try dictionary(options, parent: source)))
                }
                if let previous = connection["previousBinding"].flatMap({ identified[$0] }) {
                    entries.append(("NSPreviousConnector", .object(previous)))
                }
                add("NSNibBindingConnector", entries, as: connection["id"].flatMap { identified[$0] })
            default: break
            }
        }
        for (label, members) in collections {
            let entries = [
                ("UISource", .object(source)), ("UILabel", builder.add(label)),
                ("UIDestination", builder.add(members)),
            ]
            add("UIRuntimeOutletCollectionConnection", entries)
        }
    }

    private mutating func addAttributes(_ element: XMLElement, of object: NibReference) {
        for attribute in element.children {
            guard let keyPath = attribute["keyPath"] else { continue }
            let text = attribute["value"] ?? attribute.children.first?.text ?? ""
            let value: NibReference
            switch attribute["type"] {
            case "boolean": value = builder.add("NSNumber", [("NS.boolval", .bool(text == "YES"))])
            default: value = builder.add("NSString", [("NS.bytes", .data(Array(text.utf8)))])
            }
            let entries = [
                ("UIObject", .object(object)), ("UIKeyPath", builder.add(keyPath)), ("UIValue", .object(value)),
            ]
            add("UINibKeyValuePair", entries)
        }
    }

    /// The options of a binding.
    private mutating func dictionary(_ element: XMLElement, parent: NibReference) throws(NibError) -> NibValue {
        var elements: [NibValue] = []
        for child in element.children {
            elements += [builder.add(child["key"] ?? ""), try value(of: child, parent: parent)]
        }
        return .object(builder.add("NSDictionary", NibBuilder.entries(ofElements: elements)))
    }

    private mutating func add(
        _ className: String, _ entries: [(String, NibValue)], as reference: NibReference? = nil
    ) {
        let reference = reference ?? builder.reserve()
        builder.define(reference, className, entries.map { (key: $0.0, value: $0.1) })
        connections.append(reference)
    }
}
