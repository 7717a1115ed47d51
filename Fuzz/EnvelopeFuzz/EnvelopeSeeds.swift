// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SOAPClients

/// Responses of each kind, after the two bytes for the reader and its option.
enum EnvelopeSeeds {
    static let all: [[UInt8]] =
        messages.map { [0, 7] + Array($0.replacing("\n", with: "\r\n").utf8) } + [[0, 3] + Array(messages[0].utf8)]
        + SOAPVersion.allCases.flatMap { version in
            envelopes(version).enumerated().map { number, text in
                [version == .soap11 ? 1 : 3, UInt8(number)] + Array(text.utf8)
            }
        }

    private static let messages = [
        "preamble\n--b\nContent-Type: text/xml\nContent-ID: <a@b>\n\n<a/>\n--b\nX: y\n z\n\n\n--bc\n\n--b--\n",
        "--b\nContent-Transfer-Encoding: base64\n\naGVs\nbG8=\n--b--",
        "--b\nContent-Transfer-Encoding: quoted-printable\n\na=3Db=\nc\n--b \t\n\n--b--",
    ]

    private static func envelopes(_ version: SOAPVersion) -> [String] {
        let fault =
            switch version {
            case .soap11:
                "<faultcode>s:Client</faultcode><faultstring xml:lang=\"en\">no</faultstring><detail><a/></detail>"
            case .soap12:
                """
                <s:Code><s:Value>s:Sender</s:Value><s:Subcode><s:Value>s:a</s:Value></s:Subcode></s:Code>\
                <s:Reason><s:Text xml:lang="en">no</s:Text></s:Reason><s:Detail><a/></s:Detail>
                """
            }
        return ["<a>1</a>", "<s:Fault>\(fault)</s:Fault>"].map { body in
            """
            <?xml version="1.0" encoding="UTF-8"?><s:Envelope xmlns:s="\(version.namespace)"><s:Header>\
            <h s:mustUnderstand="1" b="c">x</h></s:Header><s:Body>\(body)</s:Body></s:Envelope>
            """
        }
    }
}
