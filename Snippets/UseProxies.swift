// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The code of the article "Use proxies".

import Challenges
import Countersign

func oneProxy() throws -> HTTPSession {
    var proxy = try Proxy("http://proxy.example:3128")
    proxy.methods = .only(.ntlm, .digest)
    let session = HTTPSession(
        handlers: [
            .ntlm: .password(user: #"CORP\mary"#, password: Secret("secret"), host: "proxy.example", role: .proxy)
        ],
        proxy: proxy)
    return session
}

func exceptions() throws -> HTTPSession {
    var configuration = HTTPSession.Configuration()
    configuration.proxies = try .every(Proxy("http://proxy.example:3128"), except: "intranet.example, 10.0.0.0/8")
    let session = HTTPSession(configuration)
    return session
}

func environment() throws -> HTTPSession {
    var configuration = HTTPSession.Configuration()
    configuration.proxies = try .environment()
    let session = HTTPSession(configuration)
    return session
}

func socks() throws -> HTTPSession {
    let session = HTTPSession(proxy: try Proxy("socks5://mary:secret@proxy.example:1080"))
    return session
}
