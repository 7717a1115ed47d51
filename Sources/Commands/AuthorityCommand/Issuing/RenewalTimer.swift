// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import AuthorityAccess
import AuthorityStore
import CommandSupport
import Encodings
import ErrorExplanations
import EssentialFoundation

/// The files that make the system run `renew --all` every day, for one authority.
struct RenewalTimer {
    /// The name that earlier versions used for the timer of every authority.
    private static let olderName = "countersign-ca-renew"

    private let files: [(path: String, text: String)]
    private let folder: URL
    /// The command that starts the timer.
    let start: String

    /// - Parameters:
    ///   - options: The authority and the files that open its key; paths become absolute.
    ///   - console: The console, with the process's variables.
    init(_ options: SigningOptions, on console: Console) {
        folder = options.place.folder(console)
        let secrets = [(KeyPassphrase.option, options.keyPassphrase.file), (TokenPIN.option, options.tokenPIN.file)]
        let command =
            [ExecutablePath.current ?? "countersign-ca", "renew", "--all", "--authority", folder.absolutePath]
            + secrets.flatMap { option, file in
                file.map { ["--\(option)-file", URL(filePath: $0).absolutePath] } ?? []
            }
        let name = Self.name(of: folder)
        let variables = Self.variables(console.environment)
        #if os(macOS)
            let path = Self.units(console.environment).appending(path: "\(name).plist").path
            files = [(path, Self.job(name, command, variables))]
            start = "launchctl load \(path)"
        #else
            let units = Self.units(console.environment)
            files = [
                (units.appending(path: name + ".service").path, Self.service(folder, command, variables)),
                (units.appending(path: name + ".timer").path, Self.timer(folder)),
            ]
            start = "systemctl --user enable --now \(name).timer"
        #endif
    }

    /// The folder of the user's units or jobs.
    private static func units(_ environment: [String: String]) -> URL {
        let home = URL(filePath: environment["HOME"] ?? ".", directoryHint: .isDirectory)
        #if os(macOS)
            return home.appending(path: "Library/LaunchAgents")
        #else
            // The XDG Base Directory Specification says to ignore relative paths.
            let configuration = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
                .map { URL(filePath: $0, directoryHint: .isDirectory) }
            return (configuration ?? home.appending(path: ".config")).appending(path: "systemd/user")
        #endif
    }

    /// Returns a timer name that is unique to the authority.
    ///
    /// It consists of the folder's name, for readability, and the beginning of a hash of the folder's path.
    private static func name(of folder: URL) -> String {
        let path = folder.absoluteURL.standardized.resolvingSymlinksInPath().path
        let label = folder.absoluteURL.standardized.lastPathComponent.prefix(40)
            .map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") ? $0 : "_" }
        return "\(olderName)-\(String(label))-\(digest(of: path).prefix(8))"
    }

    /// The variables that determine the resources of the command: its configuration, the database server, and SoftHSM
    /// tokens.
    ///
    /// The database password is not among them, because other users could read it in the unit; `~/.pgpass` can hold it.
    private static func variables(_ environment: [String: String]) -> [(name: String, value: String)] {
        let paths: Set = ["COUNTERSIGN_HOME", "XDG_CONFIG_HOME", "PGPASSFILE", "PGSERVICEFILE", "SOFTHSM2_CONF"]
        return environment.filter { name, value in
            !value.isEmpty && (paths.contains(name) || name.hasPrefix("PG") && name != "PGPASSWORD")
        }.map { name, value in
            (name: name, value: paths.contains(name) ? URL(filePath: value).absolutePath : value)
        }.sorted { $0.name < $1.name }
    }

    /// A note that an earlier version left a timer for this authority, under the name that it used for all authorities.
    var noteOnOlderTimer: String? {
        guard let path = files.first?.path else { return nil }
        let older = URL(filePath: path).deletingLastPathComponent()
            .appending(path: Self.olderName + "." + URL(filePath: path).pathExtension)
        guard let bytes = try? InputFile.read(older.path),
            String(decoding: bytes, as: UTF8.self).contains("\"\(folder.absolutePath)\"")
        else { return nil }
        return "countersign: \(older.path.printable) of an older version does the same; stop and remove it"
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

    private static func service(
        _ folder: URL, _ command: [String], _ variables: [(name: String, value: String)]
    ) -> String {
        // systemd.service(5): a dollar sign in the command begins a variable, but not in the value of a variable.
        let start = command.map { quoted($0).replacing("$", with: "$$") }.joined(separator: " ")
        let lines = variables.map { "Environment=\(quoted("\($0.name)=\($0.value)"))\n" }.joined()
        return """
            [Unit]
            Description=Renew the certificates of \(described(folder)) that are due

            [Service]
            Type=oneshot
            \(lines)ExecStart=\(start)

            """
    }

    /// The timer unit, with a random delay, so that many machines do not renew at once, and a catch-up of missed runs.
    private static func timer(_ folder: URL) -> String {
        """
        [Unit]
        Description=Renew the certificates of \(described(folder)) that are due, every day

        [Timer]
        OnCalendar=daily
        RandomizedDelaySec=1h
        Persistent=true

        [Install]
        WantedBy=timers.target

        """
    }

    private static func described(_ folder: URL) -> String {
        folder.absolutePath.printable.replacing("%", with: "%%")
    }

    /// Quotes a word for systemd.service(5): encloses it in double quotes, escapes quotes and backslashes by a
    /// backslash, and doubles percent signs.
    private static func quoted(_ word: String) -> String {
        "\"" + word.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("%", with: "%%") + "\""
    }

    private static func job(
        _ name: String, _ command: [String], _ variables: [(name: String, value: String)]
    ) -> String {
        let words = command.map { "        <string>\($0.escapedForXML())</string>" }
        let pairs = variables.map {
            "        <key>\($0.name.escapedForXML())</key>\n        <string>\($0.value.escapedForXML())</string>"
        }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
                <key>Label</key>
                <string>\(name)</string>
                <key>EnvironmentVariables</key>
                <dict>
            \(pairs.joined(separator: "\n"))
                </dict>
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
