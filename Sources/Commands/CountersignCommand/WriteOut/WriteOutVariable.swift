// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A variable of `--write-out`, by curl's name.
enum WriteOutVariable: String, CaseIterable, Sendable {
    case contentType = "content_type"
    case errorMessage = "errormsg"
    case exitCode = "exitcode"
    case fileName = "filename_effective"
    case httpCode = "http_code"
    case httpVersion = "http_version"
    case localPort = "local_port"
    case method
    case connectCount = "num_connects"
    case fieldCount = "num_headers"
    case redirectCount = "num_redirects"
    case redirectURL = "redirect_url"
    case referer
    case remoteAddress = "remote_ip"
    case remotePort = "remote_port"
    case responseCode = "response_code"
    case scheme
    case downloadSize = "size_download"
    case uploadSize = "size_upload"
    case downloadSpeed = "speed_download"
    case uploadSpeed = "speed_upload"
    case verifyResult = "ssl_verify_result"
    case appConnectTime = "time_appconnect"
    case connectTime = "time_connect"
    case nameLookupTime = "time_namelookup"
    case preTransferTime = "time_pretransfer"
    case redirectTime = "time_redirect"
    case startTransferTime = "time_starttransfer"
    case totalTime = "time_total"
    case url
    case effectiveURL = "url_effective"
    case urlNumber = "urlnum"

    static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
