// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import CertificateTrust
import Countersign
import Crypto
import Foundation
import NibArchive
import Testing
import X509

/// Tests the download of an interface, whose server and bytes are verified before it is decoded.
@Suite(.timeLimit(.minutes(1)))
struct NibDownloadTests {
    private final class Greeting: NibDecodable {
        var text = ""

        func decode(from coder: any NibCoder) throws { text = try coder.decode(forKey: "UIText") ?? "" }
    }

    private final class Owner {
        @Outlet var greeting: Greeting?
    }

    private let authority: CertificateAuthority
    private let server: FileServer
    private let pin: String
    private let bytes: [UInt8]
    private let digest: String

    init() async throws {
        bytes = try Self.nib().nibArchive
        digest = SHA256.hash(data: bytes).map { String(format: "%02x", $0) }.joined()
        authority = try CertificateAuthority(name: "Nib CA", now: Date())
        let identity = try authority.issue(.server(names: ["localhost"]), now: Date())
        pin = "\(Pin(of: identity.certificate))"
        server = try await FileServer.start(bytes, as: identity)
    }

    /// Returns a nib with a label that is an outlet of the owner.
    private static func nib() throws -> Nib {
        func to(_ place: Int) -> NibValue { .object(NibReference(place)) }
        func text(_ text: String) -> (Int, [(Int, NibValue)]) { (4, [(9, .data(Array(text.utf8)))]) }
        let keys = [
            "UINibTopLevelObjectsKey", "UINibObjectsKey", "UINibConnectionsKey", Nib.emptyKey, "UIText", "UILabel",
            "UISource", "UIDestination", "UIProxiedObjectIdentifier", "NS.bytes",
        ]
        let classes = ["NSObject", "NSArray", "UILabel", "UIRuntimeOutletConnection", "NSString", "UIProxyObject"]
        let objects: [(Int, [(Int, NibValue)])] = [
            (0, [(0, to(1)), (1, to(1)), (2, to(2))]), (1, [(3, to(3)), (3, to(5))]), (1, [(3, to(4))]),
            (2, [(4, to(6))]), (3, [(5, to(7)), (6, to(5)), (7, to(3))]), (5, [(8, to(8))]), text("Hello"),
            text("greeting"), text("IBFilesOwner"),
        ]
        var values: [NibEntry] = []
        let table = objects.map { classIndex, entries in
            values += entries.map { NibEntry(keyIndex: $0.0, value: $0.1) }
            return NibObject(classIndex: classIndex, values: values.count - entries.count..<values.count)
        }
        return try Nib(objects: table, keys: keys, values: values, classes: classes.map { NibClass($0) })
    }

    @Test("An interface from a pinned server with the correct digest is instantiated with a registry's classes")
    func instantiation() async throws {
        let pinned = try session(pin: pin, anchors: .only([authority.root]))
        let nib = try await interface(at: server.url, over: pinned, digest: digest)
        var registry = NibRegistry(strict: true)
        registry.register("UILabel") { Greeting() }
        let owner = Owner()
        _ = try nib.instantiate(owner: owner, registry: registry)
        #expect(owner.greeting?.text == "Hello")
        try await server.stop()
    }

    @Test("An interface with another digest is rejected before it is decoded")
    func digestMismatch() async throws {
        let pinned = try session(pin: pin, anchors: .only([authority.root]))
        // No decoder accepts these bytes, so decoding them before verification would throw a NibError.
        let identity = try authority.issue(.server(names: ["localhost"]), now: Date())
        let broken = try await FileServer.start([0x78], as: identity)
        let other = try session(pin: "\(Pin(of: identity.certificate))", anchors: .only([authority.root]))
        await #expect(
            throws: NibDownloadError.digestMismatch("2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881")
        ) { try await interface(at: broken.url, over: other, digest: digest) }
        let wrong = String(repeating: "0", count: 64)
        await #expect(throws: NibDownloadError.digestMismatch(digest)) {
            try await interface(at: server.url, over: pinned, digest: wrong)
        }
        try await broken.stop()
        try await server.stop()
    }

    @Test("Nothing is loaded from a server with another key, although its certificate is valid")
    func otherKey() async throws {
        let identity = try authority.issue(.server(names: ["localhost"]), now: Date())
        let impostor = try await FileServer.start(bytes, as: identity)
        let pinned = try session(pin: pin, anchors: .only([authority.root]))
        await #expect(throws: SessionError.self) {
            try await interface(at: impostor.url, over: pinned, digest: digest)
        }
        try await impostor.stop()
        try await server.stop()
    }

    @Test("The article contains the code that these tests run")
    func article() async throws {
        let folder = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        let package = folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let article = try String(
            contentsOf: package.appending(path: "Sources/Nib/NibArchive/NibArchive.docc/LoadOverHTTPS.md"),
            encoding: .utf8)
        let code = try String(contentsOf: folder.appending(path: "NibDownload.swift"), encoding: .utf8)
        let samples = article.components(separatedBy: "```swift\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        #expect(samples.count == 1)
        #expect(samples.allSatisfy(code.contains))
        try await server.stop()
    }
}
