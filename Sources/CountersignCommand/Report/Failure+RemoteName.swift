// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign

extension Failure {
    init(remoteName error: RemoteNameError) {
        switch error {
        case .url(let url, let fault):
            self.init(
                .failed, "file-name", "-O cannot take a file name from \(url.droppingUserInfo): \(fault.text).",
                "Name the file with -o FILE.")
        case .exists(let path):
            self.init(
                .failed, "file-exists", "The file \(path) exists, and -O replaces none.",
                "Remove it, name another with -o FILE, or replace it with --clobber.")
        case .shared(let path):
            self.init(
                .usage, "file-name", "Two URLs would be written to the file \(path).",
                "Name the files with -o, once for each URL.")
        }
    }
}
