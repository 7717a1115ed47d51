// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The code of the article "Use proxies".

import Challenges
import Countersign

func oneProxy() throws -> Session {
    var proxy = try Proxy("http://proxy.example:3128")
    proxy.methods = .only(.ntlm, .digest)
    let session = Session(
        handlers: [
            .ntlm: .password(user: #"CORP\mary"#, password: Secret("secret"), host: "proxy.example", role: .proxy)
        ],
        proxy: proxy)
    return session
}

func exceptions() throws -> Session {
    var configuration = Session.Configuration()
    configuration.proxies = try .every(Proxy("http://proxy.example:3128"), except: "intranet.example, 10.0.0.0/8")
    let session = Session(configuration)
    return session
}

func environment() throws -> Session {
    var configuration = Session.Configuration()
    configuration.proxies = try .environment()
    let session = Session(configuration)
    return session
}

func socks() throws -> Session {
    let session = Session(proxy: try Proxy("socks5://mary:secret@proxy.example:1080"))
    return session
}
