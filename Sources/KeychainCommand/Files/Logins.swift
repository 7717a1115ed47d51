// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import Keychain
import Secrets

/// The logins of a `.netrc` file.
struct NetrcLogins {
    private let file: NetrcFile

    /// - Throws: `NetrcError`.
    init(_ bytes: [UInt8]) throws { file = try NetrcFile(bytes) }

    /// Those with a machine, for TLS at port 443 as with `get --netrc`.
    ///
    /// An entry `default` is left out: it names no server.
    func items(_ accessibility: KeychainItem.Accessibility) -> [NewItem] {
        file.entries.compactMap { entry in
            guard let machine = entry.machine, let password = entry.password,
                let space = try? LoginPlace.space("https://" + machine, realm: nil, method: nil, isProxy: false)
            else { return nil }
            return .internetPassword(password, user: entry.login ?? "", space: space, accessibility: accessibility)
        }
    }
}

extension PasswordList.Login {
    /// A login of a server, or a password of a program where the URL is none of a server.
    func item(_ accessibility: KeychainItem.Accessibility) -> NewItem {
        let isServer = ["http://", "https://"].contains { url.lowercased().hasPrefix($0) }
        if isServer, let space = try? LoginPlace.space(url, realm: nil, method: nil, isProxy: false) {
            return .internetPassword(
                password, user: user, space: space, label: title, comment: note, accessibility: accessibility)
        }
        return .genericPassword(
            password, service: url.isEmpty ? title : url, account: user, label: title, comment: note,
            accessibility: accessibility)
    }
}
