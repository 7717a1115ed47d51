// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The files that have the system run `renew --all` every day.
struct RenewalTimer {
    private static let name = "countersign-ca-renew"
    private let files: [(path: String, text: String)]
    /// The command that starts it.
    let start: String

    /// - Parameters:
    ///   - folder: The authority's.
    ///   - pinFile: The file of the PIN, where the authority's key is in a token: a timer cannot ask a person.
    ///   - environment: The process's variables.
    init(folder: URL, pinFile: String?, _ environment: [String: String]) {
        let pin = pinFile.map { ["--token-pin-file", URL(filePath: $0).absolutePath] } ?? []
        let command =
            [ExecutablePath.current ?? "countersign-ca", "renew", "--all", "--authority", folder.absolutePath] + pin
        let home = URL(filePath: environment["HOME"] ?? ".", directoryHint: .isDirectory)
        #if os(macOS)
            let path = home.appending(path: "Library/LaunchAgents/\(Self.name).plist").path
            files = [(path, Self.job(command))]
            start = "launchctl load \(path)"
        #else
            let configuration = environment["XDG_CONFIG_HOME"].map { URL(filePath: $0, directoryHint: .isDirectory) }
            let units = (configuration ?? home.appending(path: ".config")).appending(path: "systemd/user")
            files = [
                (units.appending(path: Self.name + ".service").path, Self.service(command)),
                (units.appending(path: Self.name + ".timer").path, Self.timer),
            ]
            start = "systemctl --user enable --now \(Self.name).timer"
        #endif
    }

    /// Writes the files, and returns their paths.
    func write() throws -> [String] {
        for (path, text) in files {
            try FileManager.default.createDirectory(
                at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
            _ = try OutputFile.write(text, to: path)
        }
        return files.map(\.path)
    }

    private static func service(_ command: [String]) -> String {
        """
        [Unit]
        Description=Renew the certificates that are due

        [Service]
        Type=oneshot
        ExecStart=\(command.map(quoted).joined(separator: " "))

        """
    }

    /// Clocks of many machines do not strike at once, and what was missed is made up for.
    private static let timer = """
        [Unit]
        Description=Renew the certificates that are due, every day

        [Timer]
        OnCalendar=daily
        RandomizedDelaySec=1h
        Persistent=true

        [Install]
        WantedBy=timers.target

        """

    /// systemd.service(5): in double quotes, with a backslash before quotes and backslashes, and two percent signs for one.
    private static func quoted(_ word: String) -> String {
        "\"" + word.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("%", with: "%%") + "\""
    }

    private static func job(_ command: [String]) -> String {
        let words = command.map {
            "        <string>\($0.replacing("&", with: "&amp;").replacing("<", with: "&lt;"))</string>"
        }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
                <key>Label</key>
                <string>\(name)</string>
                <key>ProgramArguments</key>
                <array>
            \(words.joined(separator: "\n"))
                </array>
                <key>StartCalendarInterval</key>
                <dict>
                    <key>Hour</key>
                    <integer>3</integer>
                    <key>Minute</key>
                    <integer>\(Int.random(in: 0..<60))</integer>
                </dict>
            </dict>
            </plist>

            """
    }
}
