// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import Foundation

/// Prints a page that requires a login, and stays logged in for later runs.
///
/// Usage: SignIn PAGE-URL LOGIN-URL USER PASSWORD-FILE COOKIE-FILE [ROOT.pem]
@main struct SignIn {
    static func main() async {
        let arguments = CommandLine.arguments
        guard (6...7).contains(arguments.count) else {
            print("Usage: SignIn PAGE-URL LOGIN-URL USER PASSWORD-FILE COOKIE-FILE [ROOT.pem]")
            exit(2)
        }
        let (page, login, user) = (arguments[1], arguments[2], arguments[3])
        do {
            let file = URL(filePath: arguments[5])
            let isFirstRun = !FileManager.default.fileExists(atPath: file.path)
            let jar = isFirstRun ? CookieJar() : try CookieJar(contentsOf: file)
            var configuration = HTTPSession.Configuration()
            configuration.cookies = jar
            if arguments.count == 7 {
                configuration.trust.anchors = try .systemAnd(contentsOf: URL(filePath: arguments[6]))
            }
            let session = HTTPSession(configuration)
            var response = try await session.get(page)
            if response.status == .unauthorized || response.url.hasPrefix(login) {
                let password = try String(contentsOf: URL(filePath: arguments[4]), encoding: .utf8)
                    .trimmingCharacters(in: .newlines)
                try await session.post(login, body: .form(["user": user, "password": password])).expecting(.successful)
                print("Logged in as \(user).")
                response = try await session.get(page)
            }
            print(try await response.expecting(.successful).text())
            try jar.save(to: file)
            await session.close()
        } catch {
            print(error)
            exit(1)
        }
    }
}
