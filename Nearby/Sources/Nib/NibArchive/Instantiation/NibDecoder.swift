// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Creates the objects and values of a nib, each only once.
final class NibDecoder {
    let nib: Nib
    let registry: NibRegistry
    let genericObjects = NibGenericObjects()
    private(set) var made: [NibReference: AnyObject] = [:]
    private let owner: AnyObject?
    private let externalObjects: [String: AnyObject]
    private let translations: [String: String]
    /// The decoded arrays and dictionaries, cached because many values may refer to the same one.
    private var collections: [NibReference: Any] = [:]
    /// The current nesting depth of decoding, and the objects to decode once the depth is lower.
    private var level = 0
    private var waiting: [(object: any NibDecodable, reference: NibReference)] = []
    private static let maximumDepth = 64

    init(
        _ nib: Nib, owner: AnyObject?, externalObjects: [String: AnyObject], registry: NibRegistry,
        translations: [String: String]
    ) {
        (self.nib, self.owner, self.externalObjects) = (nib, owner, externalObjects)
        (self.registry, self.translations) = (registry, translations)
    }

    /// Returns the source or destination of a connection; `nil` for the First Responder.
    func end(_ reference: NibReference, of connection: NibConnection) throws -> AnyObject? {
        if nib.placeholder(for: reference) == .filesOwner, owner == nil {
            throw NibInstantiationError.noOwner(label: connection.label)
        }
        return try object(reference)
    }

    /// Returns the instance of a nib object; `nil` for the First Responder, and for a missing owner.
    func object(_ reference: NibReference) throws -> AnyObject? {
        if let object = made[reference] { return object }
        switch nib.placeholder(for: reference) {
        case .filesOwner: return owner
        case .firstResponder: return nil
        case .external(let identifier):
            guard let object = externalObjects[identifier] else {
                throw NibInstantiationError.noExternalObject(identifier: identifier)
            }
            return object
        case .application:
            if let object = externalObjects["NSApplication"] { return object }
        case nil: break
        }
        let object = try make(reference)
        made[reference] = object
        if let decodable = object as? any NibDecodable, !isInitialized(reference) {
            waiting.append((decodable, reference))
        }
        guard level < Self.maximumDepth else { return object }
        level += 1
        defer { level -= 1 }
        if waiting.last?.reference == reference { try decodeLastWaiting() }
        return object
    }

    /// Decodes the objects that were postponed because of the nesting depth.
    func decodeWaiting() throws {
        while !waiting.isEmpty { try decodeLastWaiting() }
    }

    private func decodeLastWaiting() throws {
        guard let (object, reference) = waiting.popLast() else { return }
        try object.decode(from: NibObjectCoder(decoder: self, reference: reference))
    }

    /// Returns whether the object has no values to decode: AppKit and UIKit call its `init`.
    private func isInitialized(_ reference: NibReference) -> Bool {
        nib.className(of: reference) == "NSCustomObject"
            || nib.value("NSInitializeWithInit", of: reference) == .bool(true)
    }

    private func make(_ reference: NibReference) throws -> AnyObject {
        let nibClass = nib.classes[nib.objects[reference.index].classIndex]
        let runtimeName = nib.runtimeClassName(of: reference)
        var names = [runtimeName]
        names += ["NSOriginalClassName", "UIOriginalClassName"].compactMap { nib.string($0, of: reference) }
        names.append(nibClass.name)
        names += nibClass.fallbacks.map { nib.classes[$0].name }
        if let factory = registry.factory(for: names) { return try factory() }
        guard !registry.isStrict else { throw NibInstantiationError.unknownClass(runtimeName) }
        return genericObjects.make(runtimeName)
    }

    /// Returns the Swift value of an object that represents a value, and the instance of any other object.
    func value(_ reference: NibReference) throws -> Any? {
        let name = nib.className(of: reference)
        switch name {
        case "NSString", "NSMutableString": return nib.text(of: reference)
        case "NSLocalizableString":
            return nib.string("NSKey", of: reference).flatMap { translations[$0] } ?? nib.text(of: reference)
        case "NSNumber":
            let number = nib.entries(of: reference).first { $0.key.hasPrefix("NS.") }?.value
            return try number.flatMap(value)
        case "NSData", "NSMutableData": return try nib.value("NS.bytes", of: reference).flatMap(value)
        case "NSDate":
            guard case .double(let time)? = nib.value("NS.time", of: reference) else { return nil }
            return Date(timeIntervalSinceReferenceDate: time)
        case "NSNull": return nil
        case "NSValue": return geometry(reference)
        case "NSArray", "NSMutableArray", "NSSet", "NSMutableSet", "NSOrderedSet", "NSMutableOrderedSet":
            return try collection(reference, name) { try $0.compactMap(self.value) }
        case "NSDictionary", "NSMutableDictionary":
            return try collection(reference, name) { entries in
                var dictionary: [String: Any] = [:]
                for index in stride(from: 0, to: entries.count - 1, by: 2) {
                    guard let key = try self.value(entries[index]) else { continue }
                    dictionary["\(key)"] = try self.value(entries[index + 1])
                }
                return dictionary
            }
        default: return try object(reference)
        }
    }

    func value(_ value: NibValue) throws -> Any? {
        switch value {
        case .bool(let value): value
        case .float(let value): Double(value)
        case .double(let value): value
        case .data(let bytes): bytes
        case .nil: nil
        case .object(let reference): try self.value(reference)
        case .int8, .int16, .int32, .int64: value.integer.map { Int($0) }
        }
    }

    /// Returns an array or dictionary; its elements are decoded recursively, with the same depth limit.
    private func collection(_ reference: NibReference, _ name: String, _ make: ([NibValue]) throws -> Any) throws -> Any
    {
        if let collection = collections[reference] { return collection }
        guard level < 2 * Self.maximumDepth else { throw NibInstantiationError.tooDeep(className: name) }
        level += 1
        defer { level -= 1 }
        let elements = nib.entries(of: reference).filter { $0.key == Nib.emptyKey }.map(\.value)
        let collection = try make(elements)
        collections[reference] = collection
        return collection
    }

    /// Returns a point, size or rectangle, which AppKit marks as types 1, 2 and 3.
    private func geometry(_ reference: NibReference) -> Any? {
        nib.string("NS.pointval", of: reference).flatMap(NibPoint.init) ?? nib.string("NS.sizeval", of: reference)
            .flatMap(NibSize.init) ?? nib.string("NS.rectval", of: reference).flatMap(NibRect.init) as Any?
    }
}

/// The coder of a single object.
private struct NibObjectCoder: NibCoder {
    let decoder: NibDecoder
    let reference: NibReference

    var className: String { decoder.nib.runtimeClassName(of: reference) }

    var keys: [String] {
        var seen: Set<String> = []
        return decoder.nib.entries(of: reference).map(\.key).filter { seen.insert($0).inserted }
    }

    func value(forKey key: String) throws -> Any? { try decoder.nib.value(key, of: reference).flatMap(decoder.value) }
}
