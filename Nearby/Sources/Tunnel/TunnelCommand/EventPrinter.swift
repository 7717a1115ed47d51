// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import EthernetTunnel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Prints events as sentences to standard error, or as JSON lines to standard output.
struct EventPrinter: Sendable {
    /// An event as a JSON line; absent values are omitted.
    private struct Line: Encodable {
        struct Failure: Encodable {
            let code, message, reason, advice: String

            init(_ explanation: ErrorExplanation) {
                (code, message) = (explanation.code, explanation.message)
                (reason, advice) = (explanation.reason, explanation.advice)
            }
        }

        let event: String
        var peer, interface, bridge, address, reason, source: String?
        var port: UInt16?
        var pathMTU, innerMTU, refusedDatagrams: Int?
        var error: Failure?
        var retryAfter: Double?
        var counters: [String: TunnelCounters]?
    }

    let isJSON: Bool

    func print(_ event: TunnelEvent) {
        let line = line(event)
        if isJSON {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            guard let data = try? encoder.encode(line) else { return }
            Self.write(data + Data("\n".utf8), to: STDOUT_FILENO)
        } else {
            Self.say(sentence(event))
        }
    }

    /// Prints a warning to standard error, even if events are printed as JSON.
    static func warn(_ text: String) { say("countersign: warning: " + text) }

    /// Writes a line to standard error, with nonprintable characters escaped, because it contains names of peers.
    private static func say(_ sentence: String) {
        let printable = ErrorExplanation("tunnel.event", sentence, reason: "", advice: "").message
        write(Data((printable + "\n").utf8), to: STDERR_FILENO)
    }

    private static func write(_ data: Data, to descriptor: Int32) {
        // Each line is written with one call, so that lines of different threads do not mix.
        _ = data.withUnsafeBytes { writeBytes(descriptor, $0) }
    }

    private func line(_ event: TunnelEvent) -> Line {
        switch event {
        case .started(let interface, let bridge, let port):
            Line(event: "started", interface: interface, bridge: bridge, port: port)
        case .addressHidden(let interface, let bridge):
            Line(event: "address", interface: interface, bridge: bridge)
        case .joined(let peer, let interface, let address, let pathMTU, let innerMTU):
            Line(
                event: "joined", peer: peer, interface: interface, address: address, pathMTU: pathMTU,
                innerMTU: innerMTU)
        case .rolled(let peer): Line(event: "rolled", peer: peer)
        case .moved(let peer, let address): Line(event: "moved", peer: peer, address: address)
        case .pathChanged(let peer, let pathMTU, let innerMTU, let evidence):
            Line(event: "path", peer: peer, source: evidence.rawValue, pathMTU: pathMTU, innerMTU: innerMTU)
        case .left(let peer, let reason): Line(event: "left", peer: peer, reason: reason)
        case .refused(let peer, let explanation): Line(event: "refused", peer: peer, error: .init(explanation))
        case .retrying(let peer, let explanation, let delay):
            Line(event: "retrying", peer: peer, error: .init(explanation), retryAfter: delay / .seconds(1))
        case .loopSuspected(let interface, let address):
            Line(event: "loop", interface: interface, address: address)
        case .counters(let counters, let refused):
            Line(event: "counters", refusedDatagrams: refused, counters: counters)
        }
    }

    private func sentence(_ event: TunnelEvent) -> String {
        switch event {
        case .started(let interface, let bridge, let port):
            "Ready: "
                + [bridge.map { "bridge \($0)" }, interface.map { "interface \($0)" }, port > 0 ? "port \(port)" : nil]
                .compactMap(\.self).joined(separator: ", ") + "."
        case .addressHidden(let interface, let bridge):
            "Warning: \(interface) is now a port of \(bridge), so its IPv4 address no longer responds. Move the address to \(bridge)."
        case .joined(let peer, let interface, let address, let pathMTU, let innerMTU):
            "Joined with \(peer) at \(address) on \(interface): the MTU of the tunnel is \(innerMTU) bytes (that of the path is \(pathMTU)); TCP segments are limited to it, and longer packets are fragmented."
        case .rolled(let peer): "New keys are in use with \(peer)."
        case .moved(let peer, let address): "\(peer) is now at \(address)."
        case .pathChanged(let peer, let pathMTU, let innerMTU, .kernel):
            "The MTU of the path to \(peer) is now \(pathMTU) bytes, and that of the tunnel is \(innerMTU)."
        case .pathChanged(let peer, let pathMTU, let innerMTU, .probes):
            "Probes show that the MTU of the path to \(peer) is now \(pathMTU) bytes, and that of the tunnel is \(innerMTU). A router on the path drops longer packets, and its ICMP messages do not arrive."
        case .left(let peer, let reason): "\(peer) has left: \(reason)."
        case .refused(let peer, let explanation): "Refused \(peer): \(explanation.text)"
        case .retrying(_, let explanation, let delay):
            "\(explanation.text) The next attempt is in \(Int((delay / .seconds(1)).rounded(.up))) s."
        case .loopSuspected(let interface, let address):
            "Warning: frames of \(address) loop on \(interface). The segments are also connected elsewhere; enable spanning tree on the bridges, or separate the segments."
        case .counters(let counters, let refused):
            counters.sorted { $0.key < $1.key }.map { name, count in
                "\(name): sent \(count.sentFrames) frames (\(count.sentBytes) bytes), received \(count.receivedFrames) (\(count.receivedBytes)), fragmented \(count.fragmentedFrames), refused \(count.refusedDatagrams), dropped \(count.droppedFrames)."
            }.joined(separator: " ") + " Without a peer: \(refused) datagrams."
        }
    }
}

/// Calls the system's `write`, which a type's own method hides.
private func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
