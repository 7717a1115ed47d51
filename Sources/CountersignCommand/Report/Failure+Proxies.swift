// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import Countersign

extension SessionError.SocketFailure {
    var text: String {
        switch self {
        case .notFound: "is not there"
        case .pathTooLong: "has a longer path than the system allows for a socket"
        case .malformedPath: "has a path that is empty or has a zero byte"
        case .refused: "refused the connection"
        case .timedOut: "did not answer in time"
        case .system(let code): "cannot be connected to: \(FileError(.read, path: "", code: code).reason)"
        }
    }

    var advice: String {
        switch self {
        case .notFound, .malformedPath: "Check the path."
        case .pathTooLong: "Name it by a shorter path, such as that of a symbolic link."
        case .refused, .timedOut: "Check that the server is running."
        case .system: "Check the path, and who may read and write it."
        }
    }
}

extension SessionError.SOCKSRefusal {
    var text: String {
        switch self {
        case .noAcceptableMethod: "it lets in nobody by a user and a password, nor without"
        case .generalFailure: "it failed"
        case .notAllowed: "its rules forbid it"
        case .networkUnreachable: "the network cannot be reached from there"
        case .hostUnreachable: "the host cannot be reached from there"
        case .connectionRefused: "the destination refused the connection"
        case .timeToLiveExpired: "the way is too long"
        case .commandNotSupported: "it opens no connections"
        case .addressTypeNotSupported: "it does not know this kind of address"
        case .unassigned(let code): "its reason is \(code), which means nothing"
        }
    }

    var advice: String {
        switch self {
        case .noAcceptableMethod, .notAllowed: "Ask its owner whether it may reach this host and port, and for whom."
        case .hostUnreachable: "The proxy looks the name up: check its spelling, and whether the proxy can know it."
        case .networkUnreachable, .connectionRefused, .timeToLiveExpired: "Check the host and the port of the URL."
        case .commandNotSupported, .addressTypeNotSupported: "Name the host in another way, or use another proxy."
        case .generalFailure, .unassigned: "Try again later, or ask its owner."
        }
    }
}

extension SessionError.MalformedSOCKS {
    var text: String {
        switch self {
        case .version(let version): "a message begins with \(version)"
        case .method(let method): "it chose to log in by \(method), which was not offered"
        case .reserved(let byte): "a byte that must be 0 is \(byte)"
        case .addressType(let type): "it has an address of the kind \(type)"
        case .excess: "it says more than it is asked"
        }
    }
}

extension SessionError.InvalidProxyVariable {
    var text: String {
        switch self {
        case .url(let reason): reason.text
        case .unsupportedScheme(let scheme): "\(scheme.printable) is no kind of proxy that is supported"
        case .exception(let place): "\"\(place.printable)\" is no name, no address and no block of addresses"
        }
    }

    /// What to write in the place of it.
    var advice: String {
        switch self {
        case .url, .unsupportedScheme: "Write it as http://host:port, https://host:port or socks5://host:port."
        case .exception: "Write names, addresses, or blocks such as 10.0.0.0/8, with commas between them."
        }
    }
}
