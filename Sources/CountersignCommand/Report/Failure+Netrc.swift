// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges

extension Failure {
    init(netrc error: NetrcError) {
        switch error {
        case .tooLarge(let limit):
            self.init(.failed, "netrc", "The file is larger than \(limit) bytes.", "Check that it is a .netrc file.")
        case .unterminatedString(let line):
            self.init(.failed, "netrc", "Line \(line): a quoted word has no end.", "End it with \" on the same line.")
        case .unexpectedWord(let line):
            self.init(
                .failed, "netrc", "Line \(line): a word stands where none can.",
                "Put a password with a space in it into double quotes.")
        case .missingValue(let keyword, let line):
            self.init(
                .failed, "netrc", "Line \(line): nothing follows \"\(keyword.rawValue)\".",
                "Write an empty value as \"\".")
        case .outsideEntry(let keyword, let line):
            self.init(
                .failed, "netrc", "Line \(line): \"\(keyword.rawValue)\" belongs to no machine.",
                "Begin with machine HOST.")
        case .repeated(let keyword, let line):
            self.init(
                .failed, "netrc", "Line \(line): \"\(keyword.rawValue)\" comes twice for one machine.",
                "Give another login an entry of its own, with machine HOST again.")
        case .notUTF8(let line):
            self.init(.failed, "netrc", "Line \(line): a name is no text in UTF-8.", "Convert the file.")
        }
    }
}
