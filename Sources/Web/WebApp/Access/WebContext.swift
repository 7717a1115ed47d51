// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Hummingbird
import Logging
import NIOCore

/// What is known of a request once the guard has let it in.
struct WebContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// Of the browser that asks; `nil` only for what everyone may see.
    var session: BrowserAccess.BrowserSession?
    /// Whether the browser is still let in, for a response that goes on for long.
    var isLetIn: @Sendable () -> Bool = { true }
    /// The fields of the form that was sent; empty where none was.
    var form = WebForm()

    /// Where the request comes from.
    let peer: SocketAddress?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        peer = source.channel.remoteAddress
    }
}
