// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PolicyReader {
    /// `none`, or a mapping with a file and a rule.
    mutating func transparency(_ node: PolicyNode) throws(PolicyFileError) -> CertificateTransparency? {
        if node.isText { return try node.choice(PolicyWords.transparency) }
        let mapping = try PolicyMapping(node, keys: ["logs", "rule"])
        var transparency = CertificateTransparency(logs: try logs(mapping.require("logs")))
        if let rule = mapping["rule"] { transparency.rule = try rule.choice(PolicyWords.transparencyRule) }
        return transparency
    }

    private mutating func logs(_ node: PolicyNode) throws(PolicyFileError) -> TransparencyLogList {
        let path = try node.text()
        guard !path.isEmpty else { throw node.error(.empty) }
        guard let logList else { throw node.error(.logList(path, nil)) }
        let list: TransparencyLogList
        do {
            list = try logLists[path] ?? logList(path)
        } catch {
            throw node.error(.logList(path, error))
        }
        logLists[path] = list
        if let made = list.time, time > made + CertificateTransparency.listLifetime {
            warn(.outdatedLogList(path: path, made: made), at: node.place)
        }
        return list
    }
}
