// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import Crypto
    import Foundation
    import Glibc
    import WireGuardProtocol

    /// The program wireguard-go in a separate network namespace, connected to the test's end of the tunnel.
    final class WireGuardGo {
        static let address = "10.77.0.1", port: UInt16 = 51_820
        static let testAddress = "10.77.0.2", testPort: UInt16 = 51_821

        /// The requirement that is missing for the tests; `nil` if they can run.
        static let missing: String? = {
            guard getuid() == 0 else { return "making a network namespace takes root" }
            guard access("/dev/net/tun", R_OK | W_OK) == 0 else { return "there is no /dev/net/tun" }
            let missing = ["ip", "ping", "wg", "wireguard-go"].filter { tool in
                !["/usr/bin", "/usr/sbin", "/bin", "/sbin"].contains { access("\($0)/\(tool)", X_OK) == 0 }
            }
            return missing.isEmpty ? nil : "\(missing.joined(separator: ", ")) not installed"
        }()

        let publicKey: WireGuardPublicKey
        /// The name of the namespace and of the interface in it.
        private let name = "wgt" + String(UInt32.random(in: 0x1000_0000...UInt32.max), radix: 16)
        private let folder: URL
        private let process: Process

        /// Starts wireguard-go with the test as its peer; it can start a handshake itself if it knows the endpoint.
        init(peer: WireGuardPublicKey, presharedKey: [UInt8]?, knowsEndpoint: Bool) throws {
            let privateKey = Curve25519.KeyAgreement.PrivateKey()
            guard let publicKey = WireGuardPublicKey(privateKey.publicKey.rawRepresentation) else {
                throw Failure(text: "the key is not 32 bytes")
            }
            self.publicKey = publicKey
            folder = FileManager.default.temporaryDirectory.appending(path: name)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Self.run("ip", "netns", "add", name)
            process = Self.process("ip", "netns", "exec", name, "wireguard-go", "-f", name)
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            do {
                try process.run()
                try configure(privateKey, peer: peer, presharedKey: presharedKey, knowsEndpoint: knowsEndpoint)
            } catch {
                stop()
                throw error
            }
        }

        private func configure(
            _ privateKey: Curve25519.KeyAgreement.PrivateKey, peer: WireGuardPublicKey, presharedKey: [UInt8]?,
            knowsEndpoint: Bool
        ) throws {
            let socket = "/var/run/wireguard/\(name).sock"
            for _ in 0..<500 where access(socket, F_OK) != 0 { usleep(10_000) }
            var arguments = [
                "private-key", try file("private", Array(privateKey.rawRepresentation)), "listen-port", "\(Self.port)",
                "peer", peer.description, "allowed-ips", "\(Self.testAddress)/32",
            ]
            if let presharedKey { arguments += ["preshared-key", try file("preshared", presharedKey)] }
            if knowsEndpoint { arguments += ["endpoint", "127.0.0.1:\(Self.testPort)"] }
            try Self.run(["ip", "netns", "exec", name, "wg", "set", name] + arguments)
            try Self.run("ip", "-n", name, "link", "set", "lo", "up")
            try Self.run("ip", "-n", name, "address", "add", "\(Self.address)/24", "dev", name)
            try Self.run("ip", "-n", name, "link", "set", name, "up")
        }

        private func file(_ file: String, _ key: [UInt8]) throws -> String {
            let place = folder.appending(path: file)
            try Data(Data(key).base64EncodedString().utf8).write(to: place)
            return place.path
        }

        /// Terminates the process and removes the namespace.
        func stop() {
            if process.isRunning {
                process.terminate()
                process.waitUntilExit()
            }
            try? Self.run("ip", "netns", "delete", name)
            try? FileManager.default.removeItem(at: folder)
        }

        /// Starts `ping` in the namespace to the test's end of the tunnel.
        func ping(count: Int, bytes: Int) throws -> Process {
            let process = Self.process(
                "ip", "netns", "exec", name, "ping", "-q", "-i", "0.1", "-W", "20", "-c", "\(count)", "-s", "\(bytes)",
                Self.testAddress)
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            return process
        }

        /// The function `setns`, which Swift's Glibc module does not declare.
        private static let enterNamespace = dlsym(nil, "setns").map {
            unsafeBitCast($0, to: (@convention(c) (CInt, CInt) -> CInt).self)
        }

        /// Returns a UDP socket in the namespace, bound to a port of 127.0.0.1.
        func socket(port: UInt16 = testPort) throws -> CInt {
            // The thread enters the namespace and returns afterwards.
            let (own, other) = (open("/proc/thread-self/ns/net", O_RDONLY), open("/run/netns/\(name)", O_RDONLY))
            defer { [own, other].forEach { _ = close($0) } }
            guard Self.enterNamespace?(other, 0) == 0 else { throw Failure(text: "setns failed") }
            let socket = Glibc.socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)
            guard Self.enterNamespace?(own, 0) == 0 else { fatalError("the thread cannot return to its namespace") }
            var address = sockaddr_in.loopback(port: port)
            let size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, size) }
            }
            guard result == 0 else { throw Failure(text: "bind failed") }
            return socket
        }

        private static func process(_ words: String...) -> Process {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = words
            return process
        }

        private static func run(_ words: String...) throws { try run(words) }

        private static func run(_ words: [String]) throws {
            let (process, output) = (Process(), Pipe())
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = words
            process.standardError = output
            try process.run()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            guard process.terminationStatus == 0 else {
                throw Failure(text: "\(words.joined(separator: " ")): \(text)")
            }
        }

        struct Failure: Error {
            let text: String
        }
    }

    extension sockaddr_in {
        static func loopback(port: UInt16) -> sockaddr_in {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            return address
        }
    }
#endif
