// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The URL and the anchor that a test needs from a lab, and the files for another program.

import ChallengeLab
import Foundation

try await Lab.withServers { lab in
    print(lab.url(.expired), lab.authority)  // the URL to get, and the anchor to trust
}

let folder = FileManager.default.temporaryDirectory.appending(path: "lab-files")
try await Lab.withServers([.clientCertificateRequired]) { lab in
    try lab.save(to: folder)
    let curl = Process()
    curl.executableURL = URL(filePath: "/usr/bin/curl")
    curl.arguments = [
        "--cacert", folder.appending(path: "ca.pem").path, "--cert", folder.appending(path: "client.pem").path,
        lab.url(.clientCertificateRequired),
    ]
    try curl.run()
    curl.waitUntilExit()
}
try FileManager.default.removeItem(at: folder)
