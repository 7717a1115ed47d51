// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import CommandSupport
import EssentialFoundation

/// The user's choices on the settings page.
struct WebSettings: Codable, Hashable, Sendable {
    /// The time for which data is stored.
    enum Persistence: String, Codable, CaseIterable, Sendable {
        case none
        case session
        case permanent
    }

    /// The rule by which servers are trusted.
    enum Trust: String, Codable, CaseIterable, Sendable {
        case `default`
        case imported
        case disabled
    }

    /// The storage of users, passwords and identities.
    var credentials = Persistence.session
    /// The time for which fetched URLs are stored.
    var history = Persistence.session
    var trust = Trust.default
    /// Whether each fetch shows the log of its events.
    var showsEvents = false
    /// The idle time in minutes after which the pages lock the keychain; `nil`, as in settings of older versions,
    /// for ``defaultIdleMinutes``.
    var idleMinutes: Int?

    static let idleMinuteChoices = [1, 5, 15, 60]
    static let defaultIdleMinutes = 5

    var idleLimit: Duration { .seconds(60 * max(1, idleMinutes ?? Self.defaultIdleMinutes)) }
    /// The idle time after which the server locks the keychain: an open page does so earlier, and saves its form first.
    var idleLimitOfServer: Duration { idleLimit + .seconds(60) }

    /// The persistence in the session of credentials that the user enters.
    var credentialPersistence: Credential.Persistence {
        switch credentials {
        case .none: .none
        case .session: .session
        case .permanent: .permanent
        }
    }
}

extension WebSettings.Trust {
    /// Returns the policy of every server, without the keychain's trust settings.
    ///
    /// - Parameter environment: The environment variables, which name the folder of the imported anchors.
    /// - Returns: The policy.
    /// - Throws: `AnchorFolderError`, `UnsafeFileError`, `FileError`.
    func policy(_ environment: [String: String]) throws -> TrustPolicy {
        switch self {
        case .default: return TrustPolicy()
        case .imported:
            return TrustPolicy(anchors: .systemAnd(try AnchorFolder(environment: environment).certificates()))
        case .disabled:
            var policy = TrustPolicy()
            policy.validation = .dangerouslyDisabled
            return policy
        }
    }
}

/// The file with the port and the settings, in the configuration folder.
package struct SettingsFile: Sendable {
    /// The contents of the file.
    struct Contents: Codable, Sendable {
        var port: Int?
        var settings: WebSettings?
        /// The history, the latest URL first, if it is stored permanently.
        var history: [String]?
        /// Whether a keychain's trust settings were used since server trust became "Imported", so that a missing
        /// keychain is detected.
        var countsKeychain: Bool?
    }

    private let folder: URL
    private var file: URL { folder.appending(path: "web.json") }

    package init(environment: [String: String]) { folder = ConfigurationFolder.url(environment) }

    /// - Throws: ``WebError/malformedSettings(_:)``, `FileError`, `UnsafeFileError`.
    func read() throws -> Contents {
        do {
            // An existing file that cannot be read is an error,
            // because the settings determine which servers are trusted.
            _ = try FileManager.default.attributesOfItem(atPath: file.path)
        } catch let error as CocoaError
            where [CocoaError.Code.fileReadNoSuchFile, .fileNoSuchFile].contains(error.code)
        {
            return Contents()
        } catch {
            throw WebError.malformedSettings(file.path)
        }
        try FilePermissions.check(file.path, in: folder.path)
        let bytes = try InputFile.read(file.path)
        guard let contents = try? JSONDecoder().decode(Contents.self, from: Data(bytes)) else {
            throw WebError.malformedSettings(file.path)
        }
        return contents
    }

    /// - Throws: `FileError`.
    func write(_ contents: Contents) throws {
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let text = String(decoding: try encoder.encode(contents), as: UTF8.self) + "\n"
        try OutputFile.write(text, to: file.path, mode: 0o600)
    }
}
