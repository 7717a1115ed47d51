// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSNames
import MulticastDNS
import Testing

@testable import ServiceDiscovery

@Suite("Names and attributes")
struct ServiceTextTests {
    @Test(
        "Service types are parsed",
        arguments: [
            ("_https._tcp", "_https._tcp"), ("_ipp._udp.local.", "_ipp._udp"),
            ("_printer._sub._http._tcp", "_printer._sub._http._tcp"), ("_a.local", nil), ("http._tcp", nil),
            ("_http._sctp", nil), ("", nil), ("_._tcp", nil), ("x._http._tcp", nil),
        ])
    func types(text: String, type: String?) {
        #expect((try? ServiceType(text))?.description == type)
    }

    @Test(
        "Services are parsed, and their names can contain dots",
        arguments: [
            ("My Printer._https._tcp", "My Printer"), ("Version 1.5 (ä)._http._tcp.local", "Version 1.5 (ä)"),
            ("_http._tcp", nil), ("_printer._sub._http._tcp", nil), ("._http._tcp", nil),
        ])
    func instances(text: String, name: String?) throws {
        let instance = try? ServiceInstance(text)
        #expect(instance?.name == name)
        guard let instance else { return }
        #expect(ServiceInstance(domainName: try instance.domainName(), interface: nil) == instance)
    }

    @Test("A name that is not UTF-8 is not a service")
    func notText() throws {
        let labels: [[UInt8]] = [[0xFF, 0xFE], Array("_http".utf8), Array("_tcp".utf8), Array("local".utf8)]
        #expect(ServiceInstance(domainName: try DomainName(labels: labels), interface: nil) == nil)
    }

    @Test(
        "Attributes without value, with empty and nonempty value, repeated and without key are parsed",
        arguments: [
            ("flag", ServiceAttributes.Value.none), ("empty=", .bytes([])), ("FLAG", .none),
            ("a=b=c", .bytes(Array("b=c".utf8))),
        ])
    func attributes(string: String, value: ServiceAttributes.Value) {
        let attributes = ServiceAttributes(strings: [Array(string.utf8), Array("=x".utf8), Array("flag=late".utf8), []])
        #expect(attributes[String(string.prefix { $0 != "=" })] == value)
        #expect(attributes["absent"] == nil && attributes[""] == nil)
    }

    @Test("Attributes are unchanged by reading and writing, and an empty set is one empty string")
    func writing() throws {
        var attributes = ServiceAttributes()
        #expect(attributes.strings == [[]])
        try attributes.set("path", to: .bytes(Array("/ä".utf8)))
        try attributes.set("flag", to: .none)
        try attributes.set("bytes", to: .bytes([0, 255]))
        #expect(ServiceAttributes(strings: attributes.strings) == attributes)
        #expect(attributes.text("path") == "/ä" && attributes.text("bytes") == nil)
        for key in ["", "a=b", "ä", "tab\t"] {
            #expect(throws: ServiceDiscoveryError.malformedAttribute(key)) { try attributes.set(key, to: .none) }
        }
        #expect(throws: ServiceDiscoveryError.malformedAttribute("long")) {
            try attributes.set("long", to: .bytes([UInt8](repeating: 0, count: 251)))
        }
    }

    @Test(
        "A link-local address keeps its interface",
        arguments: [
            ("fe80::1", "fe80::1%eth7"), ("2001:db8::1", "2001:db8::1"), ("192.0.2.1", "192.0.2.1"),
        ])
    func scopes(address: String, text: String) throws {
        let address = try #require(IPAddress(address))
        #expect(ScopedAddress(address, on: NetworkInterface(index: 7, name: "eth7")).description == text)
    }
}
