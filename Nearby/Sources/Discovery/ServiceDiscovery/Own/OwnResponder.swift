// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
import DNSNames
import MulticastDNS
import NIOCore
import NIOPosix

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The multicast DNS responder of this process, which drives ``MulticastDNSEngine`` with sockets and the clock.
actor OwnResponder {
    struct RecordEvent: Sendable {
        let isFound: Bool
        let record: DNSRecord
        let interface: NetworkInterface?
    }

    private enum Input {
        case packet(ReceivedPacket)
        case interfacesChanged
    }

    private var engine: MulticastDNSEngine
    private var sockets: [Link: MulticastSocket] = [:]
    private var interfaces: [Int: NetworkInterface] = [:]
    private var monitor: InterfaceMonitor?
    private var timer: (at: Instant, task: Task<Void, Never>)?
    private var reader: Task<Void, Never>?
    private var isRefreshing = false
    private var watchers: [RecordSetKey: [Int: AsyncStream<RecordEvent>.Continuation]] = [:]
    private var lastWatcher = 0
    private var labels: [Int: String] = [:]
    private var waiting: [Int: [CheckedContinuation<String, Never>]] = [:]
    private let inputs: AsyncStream<Input>
    private let input: AsyncStream<Input>.Continuation
    private let group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton

    init(hostLabel: String?) {
        engine = MulticastDNSEngine(
            hostLabel: hostLabel ?? Self.hostLabel(), delays: Delays(seed: .random(in: .min ... .max)),
            ownsPort: !MulticastDNS.isPortShared())
        // In a flood, packets are dropped just as a full socket buffer would drop them.
        (inputs, input) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(2048))
    }

    /// Opens the sockets.
    ///
    /// - Throws: ``ServiceDiscoveryError/portUnavailable(_:)`` if every link fails because of its socket.
    func start() async throws {
        let input = input
        monitor = await InterfaceMonitor.start(on: group) { input.yield(.interfacesChanged) }
        try await refreshLinks(isFirst: true)
        reader = Task { [weak self, inputs] in
            for await input in inputs { await self?.take(input) }
        }
    }

    /// Sends goodbye packets and closes the sockets.
    func close() async {
        for id in engine.serviceIDs { engine.withdraw(id) }
        processDue()
        timer?.task.cancel()
        input.finish()
        reader?.cancel()
        await monitor?.stop()
        let open = sockets
        sockets = [:]
        for socket in open.values { await socket.close() }
        for watcher in watchers.values.flatMap(\.values) { watcher.finish() }
        watchers = [:]
    }

    private static func hostLabel() -> String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "host" }
        let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let label = text.split(separator: ".").first.map(String.init) ?? "host"
        return label.utf8.count > 63 ? "host" : label
    }

    // MARK: Links

    private func take(_ input: Input) async {
        switch input {
        case .packet(let packet):
            engine.receive(packet.bytes, from: packet.source, at: .now)
            processDue()
        case .interfacesChanged:
            guard !isRefreshing else { return }
            isRefreshing = true
            Task { [weak self] in
                // Interface changes usually come in groups.
                try? await Task.sleep(for: .milliseconds(50))
                await self?.refreshAfterChange()
            }
        }
    }

    private func refreshAfterChange() async {
        isRefreshing = false
        try? await refreshLinks(isFirst: false)
    }

    private func refreshLinks(isFirst: Bool) async throws {
        var wanted: [Link: InterfaceState] = [:]
        for state in InterfaceState.current() {
            for isIPv4 in Set(state.addresses.map(\.address.isIPv4)) {
                wanted[Link(interface: state.interface.index, isIPv4: isIPv4)] = state
            }
        }
        for link in sockets.keys where wanted[link] == nil {
            engine.removeLink(link, at: .now)
            let socket = sockets.removeValue(forKey: link)
            await socket?.close()
        }
        var failure: (any Error)?
        for (link, state) in wanted {
            interfaces[link.interface] = state.interface
            if sockets[link] == nil {
                do {
                    let input = input
                    sockets[link] = try await MulticastSocket.open(link, on: group) { input.yield(.packet($0)) }
                } catch {
                    failure = error
                    continue
                }
            }
            // The UDP and IP headers are not part of the message; the Ethernet MTU is 1500 bytes.
            engine.setLink(
                link, addresses: state.addresses, maximumLength: 1500 - (link.isIPv4 ? 28 : 48), at: .now)
        }
        processDue()
        guard isFirst, sockets.isEmpty, let failure else { return }
        throw ServiceDiscoveryError.portUnavailable("\(failure)")
    }

    // MARK: Time

    /// Sends the messages that are due, reports events, and schedules the next call.
    private func processDue() {
        let (packets, events) = engine.processDue(at: .now)
        for packet in packets { sockets[packet.link]?.send(packet.message) }
        for event in events { report(event) }
        guard let next = engine.nextWake(after: .now) else {
            timer?.task.cancel()
            timer = nil
            return
        }
        if let timer, timer.at == next { return }
        timer?.task.cancel()
        let task = Task { [weak self] in
            guard (try? await Task.sleep(until: next, clock: .continuous)) != nil else { return }
            await self?.wake(next)
        }
        timer = (next, task)
    }

    private func wake(_ time: Instant) {
        if timer?.at == time { timer = nil }
        processDue()
    }

    private func report(_ event: MulticastDNSEngine.Event) {
        switch event {
        case .found(let record, let interface): tell(record, interface, isFound: true)
        case .lost(let record, let interface): tell(record, interface, isFound: false)
        case .registered(let id, let label):
            labels[id] = label
            waiting.removeValue(forKey: id)?.forEach { $0.resume(returning: label) }
        }
    }

    private func tell(_ record: DNSRecord, _ interface: Int, isFound: Bool) {
        let event = RecordEvent(isFound: isFound, record: record, interface: interfaces[interface])
        watchers[record.setKey]?.values.forEach { $0.yield(event) }
    }

    // MARK: Records

    /// The maximum time between the first and the last record of one host.
    ///
    /// A responder multicasts a record at most once a second on a link (RFC 6762 section 6). It answers at once if it
    /// may use unicast, which requires that no other process shares the port.
    var maximumAnswerDelay: Duration { engine.ownsPort ? .milliseconds(250) : .milliseconds(1250) }

    /// Queries for records until the stream is dropped; the stream starts with the known records.
    func watch(_ key: RecordSetKey) -> AsyncStream<RecordEvent> {
        lastWatcher += 1
        let id = lastWatcher
        let (stream, continuation) = AsyncStream<RecordEvent>.makeStream()
        continuation.onTermination = { [weak self] _ in Task { await self?.stopWatching(key, id) } }
        for (record, interface) in engine.records(key) {
            continuation.yield(RecordEvent(isFound: true, record: record, interface: interfaces[interface]))
        }
        watchers[key, default: [:]][id] = continuation
        engine.ask(key, at: .now)
        processDue()
        return stream
    }

    private func stopWatching(_ key: RecordSetKey, _ id: Int) {
        guard watchers[key]?.removeValue(forKey: id) != nil else { return }
        if watchers[key]?.isEmpty ?? false { watchers[key] = nil }
        engine.stop(key)
        processDue()
    }

    func records(_ key: RecordSetKey) -> [(record: DNSRecord, interface: NetworkInterface?)] {
        engine.records(key).map { ($0.record, interfaces[$0.interface]) }
    }

    // MARK: Services

    /// Announces a service.
    ///
    /// - Returns: The ID of the service, once its name is established on all links.
    func announce(_ service: AnnouncedService) async throws -> Int {
        let id = try engine.announce(service, at: .now)
        processDue()
        if labels[id] == nil { _ = await withCheckedContinuation { waiting[id, default: []].append($0) } }
        return id
    }

    func label(of id: Int) -> String? { labels[id] }

    func update(_ id: Int, text: [[UInt8]]) {
        engine.update(id, text: text, at: .now)
        processDue()
    }

    func withdraw(_ id: Int) {
        engine.withdraw(id)
        waiting.removeValue(forKey: id)?.forEach { $0.resume(returning: "") }
        processDue()
    }
}
