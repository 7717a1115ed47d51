// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The objects created from a nib, with their connections.
public final class NibInstance {
    /// The objects without a parent, in the order of the nib.
    public let topLevelObjects: [AnyObject]
    /// All actions, in the order of the nib.
    public let actions: [NibAction]
    /// The connections that were not made: accessibility attributes, segues, and connections that an object's class
    /// does not support.
    public let unconnected: [NibConnection]
    private let objects: [NibReference: AnyObject]
    private let genericObjects: NibGenericObjects

    init(
        topLevelObjects: [AnyObject], actions: [NibAction], unconnected: [NibConnection],
        objects: [NibReference: AnyObject], genericObjects: NibGenericObjects
    ) {
        (self.topLevelObjects, self.actions, self.unconnected) = (topLevelObjects, actions, unconnected)
        (self.objects, self.genericObjects) = (objects, genericObjects)
    }

    /// Returns the instance of a nib object.
    ///
    /// - Parameter reference: The nib object.
    /// - Returns: The instance; `nil` for an object that represents a value, such as a string.
    public func object(_ reference: NibReference) -> AnyObject? { objects[reference] }
}

extension Nib {
    /// Creates the objects of the nib and connects them, as UINib and NSNib do.
    ///
    /// The steps are, each in file order: create and decode the objects, set the runtime attributes, connect outlets
    /// and actions, establish the bindings, and call `awakeFromNib` on each object. The owner of an AppKit nib receives
    /// `awakeFromNib` last.
    ///
    /// - Parameters:
    ///   - owner: The File's Owner; `nil`, the default, if the nib has no connections of its owner.
    ///   - externalObjects: The objects for the other placeholders, by identifier; AppKit's shared application has the
    ///     identifier `NSApplication`.
    ///   - registry: The registry of factories; by default every class becomes a ``NibGenericObject``.
    ///   - translations: The translations of localized strings by key, such as `mi2-00-001.title`; none by default.
    /// - Returns: The instance with the created objects.
    /// - Throws: ``NibInstantiationError``, and the errors of factories, decoding, attributes and bindings.
    public func instantiate(
        owner: AnyObject? = nil, externalObjects: [String: AnyObject] = [:], registry: NibRegistry = NibRegistry(),
        translations: [String: String] = [:]
    ) throws -> NibInstance {
        let decoder = NibDecoder(
            self, owner: owner, externalObjects: externalObjects, registry: registry, translations: translations)
        let hierarchy = hierarchy
        for reference in hierarchy.objects {
            _ = try decoder.object(reference)
            try decoder.decodeWaiting()
        }
        var connector = NibConnector(decoder)
        let connections = connections
        let bindings = inOrder(connections.filter(\.kind.isBinding))
        for connection in connections where connection.kind == .runtimeAttribute { try connector.connect(connection) }
        for connection in connections where connection.kind != .runtimeAttribute && !connection.kind.isBinding {
            try connector.connect(connection)
        }
        for binding in bindings { try connector.connect(binding) }
        try decoder.decodeWaiting()
        for reference in hierarchy.objects { (decoder.made[reference] as? any NibAwakening)?.awakeFromNib() }
        if !isUIKit { (owner as? any NibAwakening)?.awakeFromNib() }
        return NibInstance(
            topLevelObjects: hierarchy.topLevel.compactMap { decoder.made[$0] }, actions: connector.actions,
            unconnected: connector.unconnected, objects: decoder.made, genericObjects: decoder.genericObjects)
    }

    /// Returns the bindings in file order, but each after the previous binding that it names: `enabled2` depends on
    /// `enabled`.
    private func inOrder(_ bindings: [NibConnection]) -> [NibConnection] {
        var waiting = Dictionary(bindings.map { ($0.connector, $0) }) { first, _ in first }
        var ordered: [NibConnection] = []
        for binding in bindings {
            // The chain of previous bindings ends at one that was already added, which also ends a circular chain.
            var chain: [NibConnection] = []
            var next: NibReference? = binding.connector
            while let connector = next, let found = waiting.removeValue(forKey: connector) {
                chain.append(found)
                next = object("NSPreviousConnector", of: connector)
            }
            ordered += chain.reversed()
        }
        return ordered
    }
}

extension NibConnection.Kind {
    fileprivate var isBinding: Bool {
        guard case .binding = self else { return false }
        return true
    }
}
