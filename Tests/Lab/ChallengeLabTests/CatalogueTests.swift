// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLabTesting
import Foundation
import Testing

@testable import ChallengeLab

@Suite("The catalogue of a lab") struct CatalogueTests {
    @Test("Every row has a short description, and a refusal has a reason", arguments: LabServer.Kind.allCases)
    func rows(kind: LabServer.Kind) {
        #expect(!kind.presents.isEmpty && kind.presents.count <= 100 && !kind.presents.contains("\n"))
        #expect(kind.rawValue.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || "-.".contains($0)) })
        #expect(kind.host == "localhost" || kind.host == "127.0.0.1" || kind.host.hasSuffix(".localhost"))
        switch kind.expectation {
        case .delivered, .deliveredOnceAccepted: #expect(kind.failureCode == nil)
        // A rejected login is a response with status 401.
        case .notAuthenticated: break
        default: #expect(kind.failureCode != nil)
        }
        #expect(kind.needs.contains(.proxy) == kind.isProxy)
        #expect((kind.group == .proxies) == kind.isProxy)
    }

    @Test("Every declared kind is in the catalogue once, with one name") func declaredKinds() throws {
        var root = URL(filePath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        let folder = root.appending(path: "Sources/Lab/ChallengeLab/Catalogue")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        let declarations = try files.filter { $0.lastPathComponent.hasPrefix("LabServer.Kind+") }
            .map { try String(contentsOf: $0, encoding: .utf8).ranges(of: "public static let ").count }
        #expect(declarations.reduce(0, +) == LabServer.Kind.allCases.count)
        #expect(Set(LabServer.Kind.allCases.map(\.rawValue)).count == LabServer.Kind.allCases.count)
        #expect(LabServer.Kind.allCases.allSatisfy { LabServer.Kind(rawValue: $0.rawValue) == $0 })
    }

    @Test("A lab has only the servers that it was started with", .lab([.expired, .plainHTTP]))
    func someServers() async throws {
        let lab = try #require(Lab.current)
        #expect(lab.servers.map(\.kind) == [.plainHTTP, .expired])
        #expect(lab.url(.expired) == "https://localhost:\(lab[.expired].port)/")
    }

    @Test("A server that the lab was started without ends the program with its name") func missingServer() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try await Lab.start([.plainHTTP]).url(.expired)
        }
        let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }
        #expect(text?.contains("without the server \"expired\"") == true)
    }

    @Test("Concurrent labs have different ports and authorities, and free their ports") func together()
        async throws
    {
        let labs = try await withThrowingTaskGroup(of: Lab.self) { group in
            for _ in 0..<4 { group.addTask { try await Lab.start([.plainHTTP, .goodHTTPS, .revokedByList]) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let ports = labs.flatMap { $0.servers.map(\.port) }
        #expect(Set(ports).count == ports.count)
        #expect(Set(labs.map(\.authority)).count == labs.count)
        for lab in labs { try await lab.stop() }
        let counts = labs.map { lab in lab.servers.map { lab.connectionCount($0.kind) } }
        var refusals = 0
        for port in ports {
            do {
                try await RawConnection.open(to: port) { _ in }
            } catch {
                refusals += 1
            }
        }
        // A server of another test may have reused one of the ports.
        #expect(refusals > ports.count / 2)
        #expect(labs.map { lab in lab.servers.map { lab.connectionCount($0.kind) } } == counts)
    }

    @Test("The first server's page and its JSON have a row for each server", .lab) func page() async throws {
        let lab = try #require(Lab.current)
        try await RawConnection.open(to: lab[.plainHTTP].port) { wire in
            let page = try #require(try await wire.ask("GET /", "Accept: text/html,*/*;q=0.8"))
            #expect(page.head.lowercased().contains("content-type: text/html"))
            #expect(page.body.hasPrefix("<!DOCTYPE html>"))
            for server in lab.servers { #expect(page.body.contains("<code>\(server.url)</code>"), "\(server.name)") }
            #expect(!page.body.contains("<script") && !page.body.contains("src="))
            #expect(page.body.contains("prefers-color-scheme: dark"))
            let plain = try #require(try await wire.ask("GET /"))
            #expect(plain.body == "Countersign lab\n")

            let json = try #require(try await wire.ask("GET /catalogue.json"))
            struct Entry: Decodable {
                let name: String
                let url: String
                let expect: String
            }
            let catalogue = try JSONDecoder().decode([String: [Entry]].self, from: Data(json.body.utf8))
            let servers = try #require(catalogue["servers"])
            #expect(servers.map(\.name) == lab.servers.map(\.name))
            #expect(servers.map(\.url) == lab.servers.map(\.url))
            #expect(servers.map(\.expect) == lab.servers.map(\.expectation.rawValue))
        }
    }

    @Test(
        "Other clients find the authority, the identity and the revocation lists in files",
        .lab([.revokedByList, .revokedIntermediate]))
    func files() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let lab = try #require(Lab.current)
        let names = try lab.save(to: folder).map(\.lastPathComponent)
        #expect(names == ["ca.pem", "client.pem", "client-certificate.pem", "client-key.pem", "logs.json", "crl.pem"])
        let lists = try String(contentsOf: folder.appending(path: "crl.pem"), encoding: .utf8)
        // There is a list of each of the two servers' authorities, and one of the root.
        #expect(lists.components(separatedBy: "BEGIN X509 CRL").count == 4)
        #expect(throws: LabError.notAFile(url: "https://a.example/lab")) {
            try lab.save(to: try #require(URL(string: "https://a.example/lab?key=secret")))
        }
    }
}
