// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import CommandSupport
import EssentialFoundation

/// What the user chose on the page of settings.
struct WebSettings: Codable, Hashable, Sendable {
    /// For how long something is kept.
    enum Persistence: String, Codable, CaseIterable, Sendable {
        case none
        case session
        case permanent
    }

    /// What makes a server trusted.
    enum Trust: String, Codable, CaseIterable, Sendable {
        case `default`
        case imported
        case disabled
    }

    /// Of user, password and identity.
    var credentials = Persistence.session
    /// Of the URLs that were fetched.
    var history = Persistence.session
    var trust = Trust.default
    /// Whether each fetch shows the log of its events.
    var showsEvents = false
    /// After how many minutes without use the pages lock the keychain; `nil` for ``usualIdleMinutes``, as in settings of older versions.
    var idleMinutes: Int?

    static let idleMinuteChoices = [1, 5, 15, 60]
    static let usualIdleMinutes = 5

    var idleLimit: Duration { .seconds(60 * max(1, idleMinutes ?? Self.usualIdleMinutes)) }
    /// The limit by which the server locks the keychain: a page does so sooner, and saves its form first, unless it is gone.
    var idleLimitOfServer: Duration { idleLimit + .seconds(60) }

    /// What the session is told of a credential that a person gives.
    var credentialPersistence: Credential.Persistence {
        switch credentials {
        case .none: .none
        case .session: .session
        case .permanent: .permanent
        }
    }
}

extension WebSettings.Trust {
    /// The policy of every server, without the keychain's rules.
    ///
    /// - Parameter environment: It names the folder of the imported anchors.
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

/// The port and the settings, in the configuration folder.
package struct SettingsFile: Sendable {
    /// What is in the file.
    struct Contents: Codable, Sendable {
        var port: Int?
        var settings: WebSettings?
        /// Where the history is kept permanently; the latest first.
        var history: [String]?
        /// Whether the rules of a keychain have counted since server trust became "Imported", so that a missing keychain is noticed.
        var countsKeychain: Bool?
    }

    private let folder: URL
    private var file: URL { folder.appending(path: "web.json") }

    package init(environment: [String: String]) { folder = ConfigurationFolder.url(environment) }

    /// - Throws: ``WebError/malformedSettings(_:)``, `FileError`, `UnsafeFileError`.
    func read() throws -> Contents {
        do {
            // A file that is there and cannot be reached is an error: the settings say what makes a server trusted.
            _ = try FileManager.default.attributesOfItem(atPath: file.path)
        } catch let error as CocoaError
            where [CocoaError.Code.fileReadNoSuchFile, .fileNoSuchFile].contains(error.code)
        {
            return Contents()
        } catch {
            throw WebError.malformedSettings(file.path)
        }
        try OwnFiles.check(file.path, in: folder.path)
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
