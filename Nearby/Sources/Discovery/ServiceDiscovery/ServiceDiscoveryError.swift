// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

/// An error in announcing or finding services.
public enum ServiceDiscoveryError: Error, Hashable {
    /// The text is not a service type.
    case malformedType(String)
    /// The name is empty or longer than 63 bytes.
    case malformedName(String)
    /// The key is not printable ASCII, or key and value are too long together.
    case malformedAttribute(String)
    /// No host answered for the service.
    case notFound(String)
    /// The multicast DNS port is unavailable. Holds the system's reason.
    case portUnavailable(String)
    /// The Avahi daemon is not running or cannot be reached. Holds the reason.
    case avahiUnavailable(String)
    /// The Avahi daemon rejected a request. Holds the name of its error.
    case avahiRefused(String)
    /// The system responder cannot be reached through dns_sd, or the build does not include it. Holds the reason.
    case dnssdUnavailable(String)
    /// The system responder rejected a request. Holds the dns_sd function and the number of its error.
    case dnssdRefused(String, code: Int32)
    /// The dns_sd library does not support a function; Avahi's library has only some of the functions. Holds the
    /// function.
    case dnssdUnsupported(String)
}

extension ServiceDiscoveryError: ExplainedError {
    /// An explanation of the error: its cause, its meaning and a remedy.
    public var explanation: ErrorExplanation {
        switch self {
        case .malformedType(let text):
            ErrorExplanation(
                "discover.malformed-type", "\(text) is not a service type.",
                reason: "A type has two labels that start with an underscore; the second one is _tcp or _udp.",
                advice: "Write it as _https._tcp, or with a subtype as _printer._sub._http._tcp.")
        case .malformedName(let name):
            ErrorExplanation(
                "discover.malformed-name", "\"\(name)\" cannot be the name of a service.",
                reason: "A name has 1 to 63 bytes of UTF-8.", advice: "Choose a shorter name.")
        case .malformedAttribute(let key):
            ErrorExplanation(
                "discover.malformed-attribute", "The attribute \"\(key)\" cannot be announced.",
                reason: "A key is printable ASCII without an equals sign, and has at most 255 bytes with its value.",
                advice: "Shorten the value, or spell the key in ASCII.")
        case .notFound(let name):
            ErrorExplanation(
                "discover.not-found", "The service \"\(name)\" was not found.",
                reason: "No computer on this network answered for it before the timeout.",
                advice: "Check the name, that the service runs, and that this computer is on the same network.")
        case .portUnavailable(let reason):
            ErrorExplanation(
                "discover.port-unavailable", "UDP port 5353 for multicast DNS is unavailable: \(reason).",
                reason: "Another program may use the port without sharing it.",
                advice: "Stop that program, or use the Avahi daemon.")
        case .avahiUnavailable(let reason):
            ErrorExplanation(
                "discover.avahi-unavailable", "The Avahi daemon cannot be reached: \(reason).",
                reason: "The program connects to it over the system's D-Bus.",
                advice: "Start avahi-daemon, or use the built-in responder.")
        case .avahiRefused(let name):
            ErrorExplanation(
                "discover.avahi-refused", "The Avahi daemon rejected the request: \(name).",
                reason: "Its configuration may not allow the request, or it has no network.",
                advice: "Check avahi-daemon.conf, or use the built-in responder.")
        case .dnssdUnavailable(let reason):
            ErrorExplanation(
                "discover.dnssd-unavailable", "The system responder cannot be reached through dns_sd: \(reason).",
                reason: "mDNSResponder must run, or avahi-daemon, whose library has the same functions.",
                advice: "Start it, or choose another implementation with --via.")
        case .dnssdRefused(let function, let code):
            ErrorExplanation(
                "discover.dnssd-refused", "The system responder rejected the request: \(function) failed with \(code).",
                reason: "The header dns_sd.h explains the number.",
                advice: "Check the name, the type, and on macOS the program's permission for the local network.")
        case .dnssdUnsupported(let function):
            ErrorExplanation(
                "discover.dnssd-unsupported",
                "The dns_sd library of this system does not support the request with \(function).",
                reason: "Avahi's library has only some of the functions, and rejects some service types and subtypes.",
                advice: "Use the Avahi daemon over D-Bus, or another type.")
        }
    }
}

extension ServiceDiscoveryError {
    /// An example of each error code, for `docs/reference/errors-nearby.md` and `countersign explain`.
    package static var examples: [Self] {
        [
            .malformedType("https"), .malformedName(""), .malformedAttribute("a=b"), .notFound("Printer"),
            .portUnavailable("Address already in use"), .avahiUnavailable("No such file or directory"),
            .avahiRefused("org.freedesktop.Avahi.InvalidServiceNameError"),
            .dnssdUnavailable("DNSServiceBrowse failed with -65563"), .dnssdRefused("DNSServiceRegister", code: -65555),
            .dnssdUnsupported("DNSServiceBrowse"),
        ]
    }
}
