// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The code of the article "Cookies and login".

import Countersign
import Foundation

func login(password: String) async throws {
    var configuration = HTTPSession.Configuration()
    configuration.cookies = CookieJar()
    let session = HTTPSession(configuration)

    try await session.post(
        "https://shop.example/login", body: .form(["user": "mary", "password": password])
    ).expecting(.successful)
    print(try await session.get("https://shop.example/orders").text())
}

func laterRuns(file: URL) async throws {
    let isFirstRun = !FileManager.default.fileExists(atPath: file.path)
    let jar = isFirstRun ? CookieJar() : try CookieJar(contentsOf: file)
    var configuration = HTTPSession.Configuration()
    configuration.cookies = jar
    let session = HTTPSession(configuration)

    print(try await session.get("https://shop.example/orders").text())
    try jar.save(to: file)
}

func ended(_ session: HTTPSession, password: String) async throws -> String {
    var response = try await session.get("https://shop.example/orders")
    if response.status == .unauthorized || response.url.hasPrefix("https://shop.example/login") {
        try await session.post(
            "https://shop.example/login", body: .form(["user": "mary", "password": password])
        ).expecting(.successful)
        response = try await session.get("https://shop.example/orders")
    }
    return try await response.expecting(.successful).text()
}

func inspected(_ jar: CookieJar) throws {
    for cookie in jar.cookies { print(cookie, cookie.expiry?.formatted() ?? "until the program ends") }
    let names = try jar.cookies(for: "https://shop.example/orders").map(\.name)
    print(names)
    jar.removeAll { $0.domain.description == "shop.example" }
}
