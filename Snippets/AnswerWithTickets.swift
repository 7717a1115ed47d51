// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The code of the article of the module Negotiate, which is empty without its trait.

#if Negotiate
    import Countersign
    import Negotiate

    func currentUser() -> HTTPSession {
        var configuration = HTTPSession.Configuration(handlers: [.negotiate: .currentUser(host: "intranet.example")])
        configuration.authenticators[.negotiate] = HTTPNegotiateAuthenticator.factory()
        return HTTPSession(configuration)
    }
#endif
