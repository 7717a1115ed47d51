// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign

#if Negotiate
    import Negotiate
#endif

extension TransferOptions {
    /// Whether tickets of Kerberos are shown, which only a build with the trait can do.
    var showsTickets: Bool {
        #if Negotiate
            credentials.negotiate
        #else
            false
        #endif
    }

    /// Adds the scheme where it was asked for.
    func addSchemes(to configuration: inout Session.Configuration) {
        #if Negotiate
            if credentials.negotiate { configuration.authenticators[.negotiate] = NegotiateAuthenticator.factory() }
        #endif
    }
}
