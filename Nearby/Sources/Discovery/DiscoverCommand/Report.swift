// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSNames
import ErrorExplanations
import NearbyProgram
import ServiceDiscovery

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Prints events as a table or as one JSON object a line.
struct Report: Sendable {
    let isJSON: Bool

    struct Line: Encodable {
        var event: String
        var name: String?
        var type: String?
        var interface: String?
        var host: String?
        var port: UInt16?
        var addresses: [String]?
        /// The TXT values as text: `null` for a key without a value, and base64 after `base64:` if the value is not
        /// UTF-8.
        var txt: [String: String?]?
        var via: String?
        var code: String?
        var message: String?
        var reason: String?
        var advice: String?
    }

    func started(_ implementation: ServiceDiscovery.Implementation) {
        if isJSON { print(Line(event: "started", via: implementation.rawValue)) }
    }

    /// Prints an error as JSON; in table mode, the error goes to standard error.
    func failed(_ error: any Error) {
        guard isJSON, let explanation = (error as? any ExplainedError)?.explanation else { return }
        print(
            Line(
                event: "failed", code: explanation.code, message: explanation.message, reason: explanation.reason,
                advice: explanation.advice))
    }

    func type(_ type: ServiceType) {
        if isJSON { print(Line(event: "type", type: type.description)) }
    }

    func event(_ event: ServiceEvent) {
        switch event {
        case .found(let instance): print("+", "found", instance)
        case .lost(let instance): print("-", "lost", instance)
        }
    }

    func announced(_ name: String, _ service: ServiceAnnouncement) {
        guard !isJSON else {
            return print(
                Line(event: "announced", name: name, type: service.type.description, port: service.port))
        }
        writeLine(row("!", "", service.type.description, name.printable + ", port \(service.port), is announced"))
    }

    func resolved(_ service: ResolvedService) {
        let addresses = service.addresses.map(\.description)
        guard !isJSON else {
            return print(
                Line(
                    event: "resolved", name: service.instance.name, type: service.instance.type.description,
                    interface: service.instance.interface?.name, host: service.host.description, port: service.port,
                    addresses: addresses, txt: Self.values(service.attributes)))
        }
        var text = "\(service.host.description.printable):\(service.port) (\(addresses.joined(separator: ", ")))"
        for (key, value) in service.attributes.pairs {
            switch value {
            case .none: text += " \(key.printable)"
            case .bytes(let bytes): text += " \(key.printable)=" + String(decoding: bytes, as: UTF8.self).printable
            }
        }
        writeLine(
            row(
                "=", service.instance.interface?.name ?? "", service.instance.type.description,
                service.instance.name.printable + "  " + text))
    }

    private func print(_ sign: String, _ word: String, _ instance: ServiceInstance) {
        let (type, interface) = (instance.type.description, instance.interface?.name)
        guard !isJSON else {
            return print(Line(event: word, name: instance.name, type: type, interface: interface))
        }
        writeLine(row(sign, interface ?? "", type, instance.name.printable))
    }

    private func row(_ sign: String, _ interface: String, _ type: String, _ text: String) -> String {
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        return "\(sign) \(padded(interface.printable, 10)) \(padded(type.printable, 20)) \(text)"
    }

    private func print(_ line: Line) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(line) else { return }
        writeLine(String(decoding: data, as: UTF8.self))
    }

    private static func values(_ attributes: ServiceAttributes) -> [String: String?] {
        var values: [String: String?] = [:]
        for (key, value) in attributes.pairs {
            switch value {
            case .none: values[key] = .some(nil)
            case .bytes(let bytes):
                values[key] = String(validating: bytes, as: UTF8.self) ?? "base64:" + Data(bytes).base64EncodedString()
            }
        }
        return values
    }
}
