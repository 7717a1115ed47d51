// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges

/// A second implementation of the lookup, in which an entry applies as a unit or not at all.
enum NetrcModel {
    static func entry(
        of file: NetrcFile, for host: HostName, login: String?, usesDefault: Bool
    ) -> NetrcFile.Entry? {
        var (isKnown, own, others) = (false, [NetrcFile.Entry](), [NetrcFile.Entry]())
        for entry in file.entries {
            let answers = entry.password != nil && (login == nil || login == entry.login)
            switch entry.machine {
            case .some(let machine):
                guard (try? HostName(machine))?.description == host.description else { continue }
                isKnown = true
                if answers { own.append(entry) }
            case .none:
                if answers { others.append(entry) }
            }
        }
        return isKnown ? own.first : usesDefault ? others.first : nil
    }

    static func credential(_ entry: NetrcFile.Entry) -> Credential? {
        entry.password.map { .password(user: entry.login ?? "", password: $0) }
    }
}
