// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Connects the objects that a decoder creates from a nib.
struct NibConnector {
    private let decoder: NibDecoder
    private(set) var actions: [NibAction] = []
    private(set) var unconnected: [NibConnection] = []
    /// The outlet slots of each object, cached because reflection is slow and an object often has many outlets.
    private var slots: [NibReference: [String: any AnyOutletSlot]] = [:]

    init(_ decoder: NibDecoder) { self.decoder = decoder }

    mutating func connect(_ connection: NibConnection) throws {
        let (reference, label) = (connection.source, connection.label)
        switch connection.kind {
        case .outlet, .outletCollection:
            guard let reference, let source = try decoder.end(reference, of: connection) else { return }
            let objects = try connection.destinations.compactMap { try decoder.end($0, of: connection) }
            try setOutlet(connection, of: source, reference, to: objects)
        case .action(let events):
            let sender = try reference.flatMap { try decoder.end($0, of: connection) }
            let target = try connection.destination.flatMap { try decoder.end($0, of: connection) }
            if let target, (target as? any NibActionTarget)?.action(label) == nil {
                try omit(connection, .noAction(selector: label, target: Self.name(of: target)))
                return
            }
            let action = NibAction(selector: label, events: events, sender: sender, target: target)
            actions.append(action)
            (sender as? any NibActionSender)?.bind(action)
        case .runtimeAttribute:
            guard let reference, let source = try decoder.end(reference, of: connection),
                let value = try connection.destination.flatMap(decoder.value)
            else { return }
            guard let receiver = source as? any NibAttributeReceiver else {
                try omit(connection, .noAttributes(keyPath: label, source: Self.name(of: source)))
                return
            }
            try receiver.setAttribute(value, forKeyPath: label)
        case .binding(let name, let keyPath): try bind(connection, name, keyPath)
        case .accessibility, .other: unconnected.append(connection)
        }
    }

    private mutating func bind(_ connection: NibConnection, _ name: String, _ keyPath: String) throws {
        guard let reference = connection.source, let source = try decoder.end(reference, of: connection),
            let destination = try connection.destination.flatMap({ try decoder.end($0, of: connection) })
        else {
            unconnected.append(connection)
            return
        }
        guard let bindable = source as? any NibBindable else {
            try omit(connection, .noBindings(binding: name, source: Self.name(of: source)))
            return
        }
        let options = try decoder.nib.object("NSOptions", of: connection.connector).flatMap(decoder.value)
        try bindable.bind(name, to: destination, keyPath: keyPath, options: options as? [String: Any] ?? [:])
    }

    private mutating func setOutlet(
        _ connection: NibConnection, of source: AnyObject, _ reference: NibReference, to objects: [AnyObject]
    ) throws {
        let label = connection.label
        // An outlet to the First Responder is not set.
        guard !objects.isEmpty || connection.kind == .outletCollection else { return }
        if let generic = source as? NibGenericObject {
            generic.setOutlet(label, to: objects)
            return
        }
        if slots[reference] == nil { slots[reference] = outletSlots(of: source) }
        guard let slot = slots[reference]?[label] else {
            try omit(connection, .noOutlet(label: label, source: Self.name(of: source)))
            return
        }
        let isAdded = decoder.nib.value("addsContentToExistingCollection", of: connection.connector) == .bool(true)
        guard isAdded ? slot.add(objects) : slot.set(objects) else {
            throw NibInstantiationError.outletTypeMismatch(
                label: label, source: Self.name(of: source), expected: "\(slot.type)",
                found: objects.map(Self.name).joined(separator: ", "))
        }
    }

    private mutating func omit(_ connection: NibConnection, _ error: NibInstantiationError) throws {
        guard !decoder.registry.isStrict else { throw error }
        unconnected.append(connection)
    }

    private static func name(of object: AnyObject) -> String {
        (object as? NibGenericObject)?.className ?? "\(type(of: object))"
    }
}
