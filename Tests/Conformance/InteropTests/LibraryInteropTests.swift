// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import Foundation
import SOAPClients
import Testing

/// The SOAP service that `make interop` starts, which is written with spyne.
///
/// Its client is generated from `Library.wsdl`, which spyne has written.
struct LibraryServer: InteropPeer {
    enum Server: String {
        /// A server that requires a user name and a password.
        case basic = "libraryBasic"
        /// A server that requires a client certificate.
        case certificate = "libraryCertificate"
    }

    let values: InteropValues

    /// The client's certificate and key, from a PKCS#12 file.
    func certifiedIdentity() throws -> Identity {
        try Identity(pkcs12: try values.bytes(of: "libraryIdentity"), passphrase: Secret("library"))
    }

    static var isStarted: Bool { (try? InteropValues()["libraryBasic"]) != nil }
}

@Suite(.enabled(if: LibraryServer.isStarted, "spyne was not started: run make interop"))
struct LibraryInteropTests {
    private let peer: LibraryServer

    init() throws { peer = LibraryServer(values: try InteropValues()) }

    /// Calls the service at one of its servers, with SOAP 1.1 and with SOAP 1.2.
    private func withLibrary(_ server: LibraryServer.Server, _ body: (Library) async throws -> Void) async throws {
        let handlers: ChallengeHandlers =
            switch server {
            case .basic: [.basic: .closure { [credential = try peer.password()] _ in .use(credential) }]
            case .certificate:
                [
                    .clientCertificate: .closure { [identity = try peer.certifiedIdentity()] _ in
                        .use(.identity(identity))
                    }
                ]
            }
        try await peer.withSession(handlers: handlers) { session in
            for (path, version) in [("/11", SOAPVersion.soap11), ("/12", .soap12)] {
                let port = SOAPPort("Library", endpoint: try peer.url(server, path), version: version)
                try await body(Library(session: session, port: port))
            }
        }
    }

    @Test("Every type arrives as it was sent", arguments: [LibraryServer.Server.basic, .certificate])
    func types(server: LibraryServer.Server) async throws {
        var book = Book(
            id: 3, title: "<data> & \u{1F4D6}]]>", genre: .nonFiction, lent: true)
        book.authors = [
            Author(name: "Mary", born: try XMLDate(year: 1950, month: 2, day: 28)), Author(name: " two  blanks "),
        ]
        book.price = Decimal(string: "12345678901234567.89")
        book.weight = 0.1
        book.returned = XMLDateTime(Date(timeIntervalSince1970: 1_790_000_000.25))
        book.cover = XMLBinary(Array(0...255))
        try await withLibrary(server) { library in
            let echoed = try #require(try await library.echo(book: book).echoResult)
            #expect(echoed.title == book.title && echoed.authors == book.authors && echoed.genre == book.genre)
            #expect(echoed.price == book.price && echoed.weight == book.weight && echoed.cover == book.cover)
            #expect(echoed.id == 3 && echoed.lent && echoed.returned?.date() == book.returned?.date())
        }
    }

    @Test(
        "A string with markup arrives unchanged",
        arguments: ["<data>", "a & b", "]]>", " x\ty\nz ", "é\u{1F600}"])
    func strings(text: String) async throws {
        try await withLibrary(.basic) { library in
            let repeated = try await library.repeat(text: text).repeatResult
            #expect(repeated == text)
        }
    }

    @Test("Arrays, empty ones and empty responses are read") func arrays() async throws {
        try await withLibrary(.certificate) { library in
            #expect(try await library.titles(count: 2).titlesResult?.string.count == 2)
            #expect(try await library.titles(count: 0).titlesResult?.string ?? [] == [])
            _ = try await library.ping()
        }
    }

    @Test("A binary value is sent as an attachment (MTOM)") func attachments() async throws {
        let cover = XMLBinary((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try await withLibrary(.certificate) { library in
            var library = library
            library.client.options.binaries = .mtom
            let book = Book(id: 4, title: "Cover", genre: .poetry, lent: false, cover: cover)
            let echoed = try await library.echo(book: book).echoResult
            #expect(echoed?.cover == cover)
        }
    }

    @Test("A fault contains the service's code and reason") func faults() async throws {
        try await withLibrary(.basic) { library in
            let error = await #expect(throws: SOAPFault.self) { try await library.find(id: 8) }
            #expect(error?.reason == "There is no book 8")
        }
    }

    @Test("A wrong password and a missing certificate are session errors") func refusals() async throws {
        let wrong = try peer.wrongPassword()
        try await peer.withSession(handlers: [.basic: .closure { _ in .use(wrong) }]) { session in
            let library = Library(session: session, endpoint: try peer.url(.basic, "/11"))
            await #expect(throws: (any Error).self) { try await library.ping() }
            let uncertified = Library(session: session, endpoint: try peer.url(.certificate, "/11"))
            await #expect(throws: SessionError.self) { try await uncertified.ping() }
        }
    }
}
