// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The code of the article about Certificate Transparency.

import CertificateTrust
import Foundation

let logs = try TransparencyLogList(json: try Data(contentsOf: URL(filePath: "log_list.json")))
let policy = TrustPolicy(transparency: CertificateTransparency(logs: logs, rule: .chrome))

print("The policy asks for timestamps: \(policy.transparency != nil)")
