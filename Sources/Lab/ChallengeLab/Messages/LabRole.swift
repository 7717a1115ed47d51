// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes

/// Which side of the way a server stands on (RFC 9110 sections 11.6 and 11.7).
enum LabRole: Sendable {
    case origin
    case proxy

    var refusal: HTTPResponse.Status { self == .proxy ? .proxyAuthenticationRequired : .unauthorized }
    var challengeField: HTTPField.Name { self == .proxy ? .proxyAuthenticate : .wwwAuthenticate }
    var answerField: HTTPField.Name { self == .proxy ? .proxyAuthorization : .authorization }
}
