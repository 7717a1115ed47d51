// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations

/// An error of `countersign ca`.
enum AuthorityCommandError: Error, Hashable {
    case codeSigning
    /// No issued certificate has this name.
    case notIssued(String)
    /// Several certificates have the name. Holds their serial numbers.
    case severalIssued(String, [String])
    /// The file exists already.
    case fileExists(path: String)
    /// The location of the certificate's files is unknown.
    case noFiles(String)
    /// A revoked certificate would be renewed for the same key.
    case revokedKey(String)
    /// The authority may not issue for the common name of a request.
    case commonNameNotPermitted(String)
    /// A hook exited with a status other than 0.
    case hookFailed(String, status: Int32)
    /// The renewal of some certificates failed. Holds their number, and the number of certificates to renew.
    case notAllRenewed(failed: Int, of: Int)
    /// The root issues certificates itself.
    case noIssuingAuthority
    /// No supported trust store was found on this machine.
    case noTrustStore
    /// A program that changes a trust store failed.
    case storeRefused(String, status: Int32)
    /// The log or the certificates were changed.
    case auditFailed(count: Int)
    /// A file contains no line with an external account.
    case malformedExternalAccount(path: String)
    /// The account key file contains no valid ACME account key.
    case malformedAccountKey(path: String)
    /// The command cannot listen on a port for challenges.
    case portNotFree(Int)
    /// The command that changes a DNS zone exited with a status other than 0.
    case dnsHookFailed(String, status: Int32)
}

extension AuthorityCommandError: CataloguedError {
    var explanation: ErrorExplanation {
        switch self {
        case .codeSigning:
            ErrorExplanation(
                "ca.code-signing", "Certificates for signing code are not issued.",
                reason:
                    "Systems run such code without asking, so a mistake is worse than with a server; and no system trusts a private authority for it.",
                advice: "Ask a public authority that issues them.")
        case .notIssued(let name):
            ErrorExplanation(
                "ca.not-issued", "The authority issued nothing called \"\(name)\".",
                reason: "Certificates are found by a name, by the beginning of their serial number, and by a file.",
                advice: "List them with 'countersign ca list'.")
        case .severalIssued(let name, let serials):
            ErrorExplanation(
                "ca.several-issued",
                "\"\(name)\" is the name of \(serials.count) certificates: \(serials.joined(separator: ", ")).",
                reason: "It is not clear which of them is meant.", advice: "Write the beginning of one serial number.")
        case .fileExists(let path):
            ErrorExplanation(
                "ca.file-exists", "\(path) is there already. Nothing was issued.",
                reason: "A certificate's files are replaced only by renewing it.",
                advice: "Renew that certificate, or name another folder with --out.")
        case .noFiles(let name):
            ErrorExplanation(
                "ca.no-files", "It is not known where the certificate of \(name) is.",
                reason: "It was not written to files, so it cannot be replaced there.",
                advice: "Issue another one with 'countersign ca issue' or 'countersign ca sign'.")
        case .revokedKey(let name):
            ErrorExplanation(
                "ca.revoked-key",
                "The certificate of \(name) was revoked, and another one for the same key is not issued.",
                reason: "The key stayed with the one who made the request, and may be known to others.",
                advice: "Ask for a request with a new key, and sign it with 'countersign ca sign'.")
        case .commonNameNotPermitted(let name):
            ErrorExplanation(
                "ca.common-name-not-permitted", "The authority may not issue for the request's common name \(name).",
                reason:
                    "The common name of a server is one of its names (RFC 8555 section 7.4), and every client would refuse a certificate of this authority with that name.",
                advice: "Make the request without it, or leave the name out with --ignore-common-name.")
        case .hookFailed(let hook, let status):
            ErrorExplanation(
                "ca.hook-failed", "The hook \"\(hook)\" ended with status \(status).",
                reason: "The new certificate is in place, and the server may not have read it yet.",
                advice: "Run the hook by hand, and see what it says.")
        case .notAllRenewed(let failed, let count):
            ErrorExplanation(
                "ca.not-all-renewed", "\(failed) of \(count) certificates were not renewed.",
                reason: "The lines before this one explain why.", advice: "Correct the cause, and run it again.")
        case .noIssuingAuthority:
            ErrorExplanation(
                "ca.no-issuing-authority", "The authority has no issuing authority below its root.",
                reason:
                    "It was made with --no-intermediate. A root is not renewed, because clients trust that very certificate.",
                advice: "Make a new authority in another folder, and have clients trust its root before this one ends.")
        case .noTrustStore:
            ErrorExplanation(
                "ca.no-trust-store", "No trust store was found that the authority could be added to.",
                reason:
                    "Known are those of Debian, Fedora, Arch, SUSE and macOS, of Firefox and Chromium (NSS), and of Java.",
                advice: "Import the file of 'countersign ca export' with the program that is to trust it.")
        case .storeRefused(let command, let status):
            ErrorExplanation(
                "ca.store-refused", "The command \"\(command)\" ended with status \(status).",
                reason: "The trust store was not changed, or only in part.",
                advice: "Run it by hand, and see what it says.")
        case .auditFailed(let count):
            ErrorExplanation(
                "ca.flawed", "The authority's state has \(count) \(count == 1 ? "problem" : "problems").",
                reason: "It was changed by something else than this program, or the disk failed.",
                advice: "Restore a backup, and find out who could write the file.")
        case .malformedExternalAccount(let path):
            ErrorExplanation(
                "ca.malformed-external-account", "\(path) has no external account.",
                reason:
                    "It holds one line: the identifier, a space, and the key in base64url, as the authority gave them.",
                advice: "Copy both from where the authority shows them.")
        case .malformedAccountKey(let path):
            ErrorExplanation(
                "ca.malformed-account-key", "\(path) has no key that can sign for an ACME account.",
                reason: "The file was changed, or replaced by another.",
                advice: "Bring the right file back, or remove it: the next order then makes a new account.")
        case .portNotFree(let port):
            ErrorExplanation(
                "ca.port-not-free", "Port \(port) cannot be listened on for the authority's challenge.",
                reason: port < 1_024
                    ? "A web server has it already, or this user may not use ports below 1024."
                    : "Another program has it already.",
                advice: "Use --webroot with the web server that runs, or --dns-hook.")
        case .dnsHookFailed(let hook, let status):
            ErrorExplanation(
                "ca.dns-hook-failed", "The DNS hook \"\(hook)\" ended with status \(status).",
                reason: "Nothing was ordered, because the authority would not find the record.",
                advice: "Run the hook by hand with 'add', a name and a value, and see what it says.")
        }
    }

    static var examples: [AuthorityCommandError] {
        [
            .codeSigning, .notIssued("www.home.example"),
            .severalIssued("www.home.example", ["0a1b2c", "3d4e5f"]), .fileExists(path: "www.home.example.pem"),
            .noFiles("www.home.example"), .revokedKey("www.home.example"), .commonNameNotPermitted("printer"),
            .hookFailed("systemctl reload nginx", status: 1),
            .notAllRenewed(failed: 1, of: 3), .noIssuingAuthority, .noTrustStore,
            .storeRefused("update-ca-certificates", status: 1), .auditFailed(count: 1),
            .malformedExternalAccount(path: "account"),
            .malformedAccountKey(path: "/home/me/.config/countersign/acme/ca.home.example.pem"), .portNotFree(80),
            .dnsHookFailed("change-zone", status: 1),
        ]
    }
}
