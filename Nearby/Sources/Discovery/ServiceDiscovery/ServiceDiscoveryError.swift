// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

/// An error of announcing or finding services.
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
                "discover.malformed-type", "\(text) is no type of services.",
                reason: "A type has two labels that begin with an underscore, the second one _tcp or _udp.",
                advice: "Write it as _https._tcp, or with a subtype as _printer._sub._http._tcp.")
        case .malformedName(let name):
            ErrorExplanation(
                "discover.malformed-name", "A service cannot be called \"\(name)\".",
                reason: "A name has 1 to 63 bytes of UTF-8.", advice: "Choose a shorter name.")
        case .malformedAttribute(let key):
            ErrorExplanation(
                "discover.malformed-attribute", "The attribute \"\(key)\" cannot be announced.",
                reason: "A key is printable ASCII without an equals sign, and has at most 255 bytes with its value.",
                advice: "Shorten the value, or spell the key in ASCII.")
        case .notFound(let name):
            ErrorExplanation(
                "discover.not-found", "The service \"\(name)\" was not found.",
                reason: "No computer on this network has answered for it in time.",
                advice: "Check the name, that the service runs, and that this computer is on the same network.")
        case .portUnavailable(let reason):
            ErrorExplanation(
                "discover.port-unavailable", "UDP port 5353 of multicast DNS cannot be used: \(reason).",
                reason: "Another program may hold the port without sharing it.",
                advice: "End that program, or use the daemon of Avahi.")
        case .avahiUnavailable(let reason):
            ErrorExplanation(
                "discover.avahi-unavailable", "The daemon of Avahi cannot be reached: \(reason).",
                reason: "It is asked over the system's D-Bus.",
                advice: "Start avahi-daemon, or use the responder that is built in.")
        case .avahiRefused(let name):
            ErrorExplanation(
                "discover.avahi-refused", "The daemon of Avahi refused: \(name).",
                reason: "Its configuration may not allow this, or it has no network.",
                advice: "Look into avahi-daemon.conf, or use the responder that is built in.")
        case .dnssdUnavailable(let reason):
            ErrorExplanation(
                "discover.dnssd-unavailable", "The system's responder cannot be asked with dns_sd: \(reason).",
                reason: "mDNSResponder must run, or avahi-daemon, whose library has the same functions.",
                advice: "Start it, or choose another way.")
        case .dnssdRefused(let function, let code):
            ErrorExplanation(
                "discover.dnssd-refused", "The system's responder refused: \(function) failed with \(code).",
                reason: "The header dns_sd.h tells what the number means.",
                advice: "Check the name, the type, and on macOS the program's permission for the local network.")
        case .dnssdUnsupported(let function):
            ErrorExplanation(
                "discover.dnssd-unsupported", "This system's library of dns_sd cannot do this with \(function).",
                reason: "Avahi's library has a part of the functions, and refuses some types and subtypes of services.",
                advice: "Use the daemon of Avahi over D-Bus, or another type.")
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
