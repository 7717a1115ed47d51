// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import Countersign
import HTTPTypes

/// What `--write-out` tells about one transfer.
struct TransferFacts: Sendable {
    /// The place on the command line, from 0.
    let number: Int
    /// As it was given.
    let url: String
    let method: HTTPRequest.Method
    let referer: String?
    let start: ContinuousClock.Instant
    let redirects: RedirectHistory
    /// Whether the values of secret parameters of URLs are printed; a user and a password never are.
    var showsSecrets = false
    /// How many connections were opened for it.
    var connectCount = 0
    var uploaded = 0
    /// The port that `--connect-to` or a proxy leads to; `nil` where it is the URL's.
    var targetPort: Int?
    var response: Response?
    /// When the head of the response was there.
    var responded: ContinuousClock.Instant?
    /// The bytes of the body that arrived, before any coding was undone.
    var received = 0
    var path: String?
    var end = ContinuousClock.now
    var failure: Failure?
    var status = CommandStatus.done
}
