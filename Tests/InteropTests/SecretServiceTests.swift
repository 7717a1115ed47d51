// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing

private let keyringIsInstalled = ["dbus-daemon", "gnome-keyring-daemon", "secret-tool"].allSatisfy { name in
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
}

/// A key slot in a desktop's keyring: GNOME's, on a message bus of its own.
@Suite(
    .enabled(if: keyringIsInstalled, "dbus, gnome-keyring or libsecret-tools is missing: run make interop"))
struct SecretServiceTests {
    private static let story = """
        keychain="$PRODUCTS/countersign-keychain"
        echo "correct horse battery" > passphrase
        $keychain init --new-passphrase-file passphrase || exit 10
        # The test's threads block signals, which programs inherit: only SIGKILL ends them.
        trap 'kill -KILL $keyring $bus' EXIT
        export DBUS_SESSION_BUS_ADDRESS="unix:path=$PWD/bus"
        dbus-daemon --session --nofork --address="$DBUS_SESSION_BUS_ADDRESS" > bus.log 2>&1 &
        bus=$!
        printf "keyring's password" | gnome-keyring-daemon --foreground --unlock --components=secrets > keyring 2>&1 &
        keyring=$!
        for second in 1 2 3 4 5 6 7 8 9 10; do
            printf ready | secret-tool store --label=ready ready ready 2> /dev/null && break
            sleep 1
        done
        $keychain verify --unlock-with desktop && exit 13
        $keychain add-slot desktop --passphrase-file passphrase || exit 14
        $keychain verify --unlock-with desktop || exit 15
        secret-tool clear service countersign-keychain || exit 16
        $keychain verify --unlock-with desktop && exit 17
        kill -KILL $keyring $bus
        $keychain verify --unlock-with desktop && exit 18
        exit 0
        """

    @Test("A keychain opens by a key in the desktop's keyring, and says why where it does not")
    func story() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "keyring-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["sh", "-c", Self.story]
        process.currentDirectoryURL = folder
        let products = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
        process.environment = [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "HOME": folder.path, "PRODUCTS": products.path,
            "XDG_RUNTIME_DIR": folder.path,
        ]
        let complaint = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = complaint
        try process.run()
        let words = String(decoding: complaint.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(words)")
        #expect(words.contains("countersign: The desktop's keyring did not answer, or refused."), "\(words)")
        #expect(words.contains("countersign: The desktop's keyring has no key for this keychain."), "\(words)")
    }
}
