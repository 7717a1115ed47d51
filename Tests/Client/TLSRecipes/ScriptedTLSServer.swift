// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Crypto
import EssentialFoundation
import SwiftASN1
import X509

/// A server of TLS that follows a script, with AES-128-GCM and SHA-256 (RFC 8446, RFC 5246, RFC 7627).
///
/// It has the keys, so the messages of a script are protected and signed correctly even if no other server would send
/// them. It does not check the client's messages.
package final class ScriptedTLSServer {
    private typealias Script = ServerScript

    /// The key that makes the signatures.
    package var signingKey = key
    /// The maximum length of a record of handshake messages, in bytes.
    package var fragmentLength = 16_384
    /// The handshake messages that were sent.
    package private(set) var sentMessages: [UInt8] = []
    /// The handshake messages up to Finished that a client must accept, if it accepts any; `nil` before Finished.
    package private(set) var authenticMessages: [UInt8]?
    /// Whether bytes were sent that may contain other messages.
    package private(set) var hasSentOtherBytes = false
    /// The data that was sent after Finished.
    package private(set) var sentData: [UInt8] = []
    /// Whether all steps were performed.
    package var isFinished: Bool { steps.isEmpty }

    private let isTLS13: Bool
    private let parameters: [UInt8]
    private var steps: ArraySlice<ServerScript.Step>
    private var output: [UInt8] = []
    /// The handshake messages that are not in a record yet.
    private var pending: [UInt8] = []
    private var writer: RecordCipher?

    private var input: [UInt8] = []
    private var handshakeInput: [UInt8] = []
    /// The types of the client's messages for which no step has waited.
    private var arrivals: [UInt8] = []
    private var reader: RecordCipher?
    /// The keys of TLS 1.2 that are used after ChangeCipherSpec.
    private var nextCiphers: (reader: RecordCipher, writer: RecordCipher)?

    private var transcript: [UInt8] = []
    /// The server's messages in the transcript, with genuine signatures.
    private var coveredMessages: [UInt8] = []
    private var hello = ClientHello()
    private var serverRandom: [UInt8] = []
    /// The Finished messages of the client and of the server.
    private var verifyData: (client: [UInt8], server: [UInt8]) = ([], [])
    private var schedule = KeySchedule()

    package init(_ script: ServerScript) {
        (isTLS13, parameters, steps) = (script.isTLS13, script.parameters, script.steps[...])
    }

    package func takeOutput() -> [UInt8] {
        defer { output = [] }
        return output
    }

    // MARK: The client's bytes

    package func receive(_ bytes: some Collection<UInt8>) {
        input += bytes
        while input.count >= 5 {
            let length = 5 + Int(input[3]) << 8 + Int(input[4])
            guard input.count >= length else { break }
            receive(record: Array(input.prefix(length)))
            input.removeFirst(length)
        }
        advance()
    }

    private func receive(record: [UInt8]) {
        // The script of TLS 1.3 does not need the client's encrypted records.
        guard let content = reader == nil ? Array(record.dropFirst(5)) : reader?.open(record) else { return }
        switch record[0] {
        case 20: reader = nextCiphers?.reader
        case 22:
            handshakeInput += content
            while handshakeInput.count >= 4 {
                let length = 4 + handshakeInput[1...3].reduce(0) { $0 << 8 | Int($1) }
                guard handshakeInput.count >= length else { break }
                receive(message: Array(handshakeInput.prefix(length)))
                handshakeInput.removeFirst(length)
            }
        default: break
        }
    }

    private func receive(message: [UInt8]) {
        let body = Array(message.dropFirst(4))
        arrivals.append(message[0])
        if message[0] == 1 {
            hello = ClientHello(body)
            // The transcript begins again with a renegotiation.
            if !verifyData.client.isEmpty { transcript = [] }
        }
        transcript += message
        switch message[0] {
        case 16: deriveKeys(ofTLS12: body)
        case 20: verifyData.client = body
        default: break
        }
    }

    // MARK: Steps

    private func advance() {
        while let step = steps.first {
            if case .wait(let type) = step {
                flush()
                guard let index = arrivals.firstIndex(of: type) else { return }
                arrivals.removeSubrange(...index)
            }
            steps.removeFirst()
            perform(step)
        }
        flush()
    }

    private func perform(_ step: ServerScript.Step) {
        switch step {
        case .wait: break
        case .message(let type, let body): send(type, body)
        case .forgery(let type, let body): send(type, body, isCovered: false)
        case .omission(let type, let body): send(type, body, isSent: false)
        case .signature(let change): sign(change)
        case .finished(let change): finish(change)
        case .changeCipherSpec:
            flush()
            output += isTLS13 ? Script.record(20, [1]) : protect(20, [1])
            if let next = nextCiphers?.writer { writer = next }
        case .keys(let keys):
            flush()
            use(keys)
        case .record(let type, let content):
            flush()
            let content = type == 22 ? filled(content) : content
            note(type, content)
            output += protect(type, content)
        case .bytes(let bytes):
            flush()
            hasSentOtherBytes = true
            output += bytes
        }
    }

    private func send(
        _ type: UInt8, _ body: [UInt8], genuine: [UInt8]? = nil, isSent: Bool = true, isCovered: Bool = true
    ) {
        let body = type == 2 ? filled(body) : body
        if type == 2, body.count >= 34 {
            serverRandom = Array(body[2..<34])
            schedule.usesExtendedSecret = !body.ranges(of: [0, 23, 0, 0]).isEmpty
            if isTLS13, serverRandom == Script.retryRandom {
                transcript = Script.message(254, Array(SHA256.hash(data: transcript)))
            }
        }
        let message = Script.message(type, body)
        if isSent {
            pending += message
            sentMessages += message
        }
        if isCovered {
            transcript += message
            coveredMessages += genuine.map { Script.message(type, $0) } ?? message
        }
    }

    /// Returns a ServerHello with the values that depend on the client.
    private func filled(_ hello: [UInt8]) -> [UInt8] {
        hello.replacing([32] + Script.sessionID, with: Script.vector(self.hello.sessionID, octets: 1))
            .replacing(Script.verifyData, with: verifyData.client + verifyData.server)
    }

    private func sign(_ change: UInt8) {
        let text =
            isTLS13
            ? [UInt8](repeating: 32, count: 64) + Array("TLS 1.3, server CertificateVerify".utf8) + [0]
                + SHA256.hash(data: transcript)
            : hello.random + serverRandom + parameters
        let signature = (try? signingKey.signature(for: text)).map { Array($0.derRepresentation) } ?? [0]
        send(
            isTLS13 ? 15 : 12, message(signature: Script.added(change, to: signature)),
            genuine: message(signature: signature))
    }

    private func message(signature: [UInt8]) -> [UInt8] {
        (isTLS13 ? [] : parameters) + [4, 3] + Script.vector(signature, octets: 2)
    }

    private func finish(_ change: UInt8) {
        let data = isTLS13 ? schedule.finished13(transcript) : schedule.finished12(transcript)
        verifyData.server = data
        send(20, Script.added(change, to: data), genuine: data)
        authenticMessages = authenticMessages ?? coveredMessages
    }

    /// Puts the pending messages into records.
    private func flush() {
        for start in stride(from: 0, to: pending.count, by: fragmentLength) {
            output += protect(22, Array(pending[start...].prefix(fragmentLength)))
        }
        pending = []
    }

    /// Notes the messages or data in a record; TLS 1.3 takes zeros at the end for padding.
    private func note(_ type: UInt8, _ content: [UInt8]) {
        guard type != 0 else {
            let inner = content.reversed().drop { $0 == 0 }.reversed()
            if isTLS13, let last = inner.last { note(last, inner.dropLast()) }
            return
        }
        if type == 22 { sentMessages += content }
        if type == 23, authenticMessages != nil { sentData += content }
    }

    private func protect(_ type: UInt8, _ content: [UInt8]) -> [UInt8] {
        writer?.seal(type, content) ?? Script.record(type, content)
    }

    // MARK: Keys

    private func use(_ keys: ServerScript.Keys) {
        guard isTLS13 else { return }
        switch keys {
        case .handshake: schedule.startHandshake(sharedSecret, transcript)
        case .application: schedule.startApplication(transcript)
        case .update: schedule.update()
        }
        writer = RecordCipher(trafficSecret: schedule.trafficSecret)
    }

    private var sharedSecret: [UInt8] {
        if let share = hello.shares[23], let key = try? P256.KeyAgreement.PublicKey(x963Representation: share) {
            return Self.bytes(try? Self.key23.sharedSecretFromKeyAgreement(with: key))
        }
        return sharedSecret(hello.shares[29] ?? [])
    }

    private func sharedSecret(_ share: [UInt8]) -> [UInt8] {
        guard let key = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: share) else { return [] }
        return Self.bytes(try? Self.key29.sharedSecretFromKeyAgreement(with: key))
    }

    private static func bytes(_ secret: SharedSecret?) -> [UInt8] { secret?.withUnsafeBytes(Array.init) ?? [] }

    private func deriveKeys(ofTLS12 exchange: [UInt8]) {
        nextCiphers = schedule.start12(
            sharedSecret(Array(exchange.dropFirst())), clientRandom: hello.random, serverRandom: serverRandom,
            transcript)
    }
}

extension ScriptedTLSServer {
    private static let secret = [UInt8](repeating: 9, count: 32)
    /// The key of the certificate.
    package static let key = made { try P256.Signing.PrivateKey(rawRepresentation: secret) }
    private static let key23 = made { try P256.KeyAgreement.PrivateKey(rawRepresentation: secret) }
    private static let key29 = made { try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: secret) }

    /// The certificate in DER.
    package static let certificate = certificate(for: key)

    /// Makes a certificate that is its own issuer.
    package static func certificate(for key: P256.Signing.PrivateKey) -> [UInt8] {
        made {
            let (key, name) = (Certificate.PrivateKey(key), try DistinguishedName { CommonName("a.test") })
            let certificate = try Certificate(
                version: .v3, serialNumber: .init(bytes: [0x40, 1]), publicKey: key.publicKey,
                notValidBefore: Date(timeIntervalSince1970: 1_700_000_000),
                notValidAfter: Date(timeIntervalSince1970: 4_000_000_000), issuer: name, subject: name,
                extensions: try Certificate.Extensions { KeyUsage(digitalSignature: true) }, issuerPrivateKey: key)
            var serializer = DER.Serializer()
            try certificate.serialize(into: &serializer)
            return serializer.serializedBytes
        }
    }

    /// Returns the server's share of a key exchange.
    package static func publicKey(_ group: UInt16) -> [UInt8] {
        group == 23 ? Array(key23.publicKey.x963Representation) : Array(key29.publicKey.rawRepresentation)
    }

    private static func made<Value>(_ make: () throws -> Value) -> Value {
        do { return try make() } catch { preconditionFailure("The server's keys cannot be made: \(error)") }
    }
}

/// The parts of a ClientHello that the server needs.
private struct ClientHello {
    var random: [UInt8] = []
    var sessionID: [UInt8] = []
    /// The client's key shares by group.
    var shares: [UInt16: [UInt8]] = [:]

    init() {}

    init(_ body: [UInt8]) {
        var rest = body.dropFirst(2)
        random = Array(rest.prefix(32))
        rest = rest.dropFirst(32)
        sessionID = Self.vector(&rest, octets: 1)
        _ = Self.vector(&rest, octets: 2)
        _ = Self.vector(&rest, octets: 1)
        var extensions = Self.vector(&rest, octets: 2)[...]
        while !extensions.isEmpty {
            let type = Self.integer(&extensions, octets: 2)
            var content = Self.vector(&extensions, octets: 2)[...]
            guard type == 51 else { continue }
            var list = Self.vector(&content, octets: 2)[...]
            while !list.isEmpty {
                let group = UInt16(truncatingIfNeeded: Self.integer(&list, octets: 2))
                shares[group] = Self.vector(&list, octets: 2)
            }
        }
    }

    private static func integer(_ bytes: inout ArraySlice<UInt8>, octets: Int) -> Int {
        defer { bytes = bytes.dropFirst(octets) }
        return bytes.prefix(octets).reduce(0) { $0 << 8 | Int($1) }
    }

    private static func vector(_ bytes: inout ArraySlice<UInt8>, octets: Int) -> [UInt8] {
        let count = integer(&bytes, octets: octets)
        defer { bytes = bytes.dropFirst(count) }
        return Array(bytes.prefix(count))
    }
}
