// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

/// An error that prevents or terminates a tunnel.
public enum TunnelError: Error, Hashable {
    /// The permission to change the network is missing. Holds the purpose, such as "make interfaces".
    case notPermitted(String)
    /// The device `/dev/net/tun` does not exist.
    case noTunDevice
    /// The interface does not exist or is unusable. Holds its name.
    case noInterface(String)
    /// The name is not a valid interface name. Holds the name.
    case malformedInterfaceName(String)
    /// The interface is already a port of another bridge. Holds both names.
    case interfaceInUse(String, bridge: String)
    /// The port is in use by another program. Holds the port.
    case portInUse(UInt16)
    /// A system call failed for another reason. Holds the attempted action, such as "open a UDP socket", and the
    /// system's message.
    case system(String, String)
    /// The host name of the peer has no address. Holds the name.
    case unknownHost(String)
    /// The peer did not answer before the timeout. Holds its name and port.
    case noAnswer(String)
    /// The control connection for key agreement failed. Holds the peer and the reason.
    case controlFailed(String, String)
    /// The peer closed the connection, or sent nothing, before keys were agreed.
    case noKeysAgreed
    /// Keys were agreed, but no datagram arrived.
    case noPackets
    /// The peer's certificate is not trusted. Holds the code and texts of the failure's explanation.
    case notTrusted(code: String, message: String, reason: String, advice: String)
    /// The peer sent a message that this protocol version does not define. Holds the problem.
    case malformedMessage(String)
    /// The peer uses another protocol version. Holds that version.
    case versionMismatch(Int)
    /// The listener has the maximum number of peers. Holds the limit.
    case tooManyPeers(limit: Int)
    /// The text of a key is not 32 bytes in base64, or the key is unusable. Holds the kind of key, never its text.
    case malformedKey(String)
    /// A file of the trust rules cannot be read or is empty. Holds its path.
    case unreadableFile(String)
    /// Tunnels are unsupported on this system; they require Linux.
    case unsupportedSystem
}

extension TunnelError: ExplainedError {
    /// An explanation of the error: its cause, its meaning and a remedy.
    public var explanation: ErrorExplanation {
        switch self {
        case .notPermitted(let purpose):
            ErrorExplanation(
                "tunnel.not-permitted", "The permission to \(purpose) is missing.",
                reason: "It requires root or the capability CAP_NET_ADMIN; plain EtherIP also requires CAP_NET_RAW.",
                advice: "Run the command as root, or use the systemd unit.")
        case .noTunDevice:
            ErrorExplanation(
                "tunnel.no-device", "There is no /dev/net/tun.",
                reason: "The kernel's module tun is not loaded, or a container hides the device.",
                advice: "Load the module with modprobe tun, or give the container the device.")
        case .noInterface(let name):
            ErrorExplanation(
                "tunnel.no-interface", "There is no usable interface \(name).",
                reason: "It does not exist in this network namespace, or is not an Ethernet interface.",
                advice: "List the interfaces with ip link.")
        case .malformedInterfaceName(let name):
            ErrorExplanation(
                "tunnel.interface-name", "\"\(name)\" cannot be the name of an interface.",
                reason: "A name has 1 to 15 characters, without slashes and spaces.", advice: "Choose another one.")
        case .interfaceInUse(let name, let bridge):
            ErrorExplanation(
                "tunnel.interface-in-use", "\(name) cannot become a port of \(bridge).",
                reason: "It is a port of another bridge, or its type of interface cannot be a port.",
                advice: "Check it with ip -d link show \(name).")
        case .portInUse(let port):
            ErrorExplanation(
                "tunnel.port-in-use", "Port \(port) is in use.",
                reason: "Another program uses it, possibly another tunnel.", advice: "Choose another port.")
        case .system(let attempt, let words):
            ErrorExplanation(
                "tunnel.system", "The system refused to \(attempt): \(words).",
                reason: "The tunnel cannot run without this.", advice: "Check the kernel log with dmesg.")
        case .unknownHost(let name):
            ErrorExplanation(
                "tunnel.unknown-host", "\(name) has no address.",
                reason: "The name is misspelled, or no resolver is reachable.", advice: "Check the name.")
        case .noAnswer(let peer):
            ErrorExplanation(
                "tunnel.no-answer", "\(peer) does not answer.",
                reason: "It is not running, or a firewall drops the packets.",
                advice: "Allow TCP and UDP to its port.")
        case .controlFailed(let peer, let reason):
            ErrorExplanation(
                "tunnel.control", "The connection to \(peer) for key agreement failed: \(reason).",
                reason: "Keys are agreed over TLS 1.3, in which both sides present a certificate.",
                advice: "Check that the other side is a tunnel, and its log for why it refused.")
        case .noKeysAgreed:
            ErrorExplanation(
                "tunnel.no-keys", "The peer has not agreed on keys.",
                reason:
                    "It closed the connection or did not respond, as it does if it does not trust this side's certificate.",
                advice:
                    "Check the other side's messages. The connecting side needs a client certificate, and the listener a server certificate."
            )
        case .noPackets:
            ErrorExplanation(
                "tunnel.no-packets", "Keys were agreed, but no datagram arrived.",
                reason: "A firewall allows TCP, but not UDP.", advice: "Also allow UDP to the listener's port.")
        case .notTrusted(let code, let message, let reason, let advice):
            ErrorExplanation(code, message, reason: reason, advice: advice)
        case .malformedMessage(let detail):
            ErrorExplanation(
                "tunnel.malformed-message", "The peer sent a malformed message: \(detail).",
                reason: "It uses another version, or is not a tunnel.", advice: "Use the same version on both sides.")
        case .versionMismatch(let version):
            ErrorExplanation(
                "tunnel.version", "The peer uses version \(version) of the tunnel's protocol.",
                reason: "This program uses version \(ControlMessage.version).",
                advice: "Use the same version on both sides.")
        case .tooManyPeers(let limit):
            ErrorExplanation(
                "tunnel.too-many-peers", "There are \(limit) peers already.",
                reason: "The listener limits their number, so that its memory is not exhausted.",
                advice: "Raise the limit, or disconnect another peer.")
        case .malformedKey(let which):
            ErrorExplanation(
                "tunnel.malformed-key", "The \(which) cannot be read.",
                reason: "A WireGuard key has 32 bytes in base64.", advice: "Generate one with wg genkey and wg pubkey.")
        case .unreadableFile(let path):
            ErrorExplanation(
                "tunnel.unreadable-file", "\(path) cannot be read, or is empty.",
                reason: "Without this file, no peer is trusted.",
                advice: "Check the path and its permissions, also for the user that the tunnel switches to.")
        case .unsupportedSystem:
            ErrorExplanation(
                "tunnel.unsupported", "Tunnels are only supported on Linux.",
                reason: "The tunnel requires Linux TAP interfaces.", advice: "Run it on Linux.")
        }
    }
}

extension TunnelError {
    /// An example of each error code, for `docs/reference/errors-nearby.md` and `countersign explain`.
    package static var examples: [Self] {
        [
            .notPermitted("make interfaces"), .noTunDevice, .noInterface("eth1"), .malformedInterfaceName("a/b"),
            .interfaceInUse("eth1", bridge: "br0"), .portInUse(4_500),
            .system("add a port to br0", "Device or resource busy"),
            .unknownHost("hub.example.net"), .noAnswer("hub.example.net"),
            .controlFailed("hub.example.net", "the connection was closed"), .noKeysAgreed, .noPackets,
            .malformedMessage("a length of 0"), .versionMismatch(2), .tooManyPeers(limit: 100),
            .malformedKey("peer's public key"), .unreadableFile("ca.pem"), .unsupportedSystem,
        ]
    }
}
