// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import HTTPTypes
import NIOConcurrencyHelpers

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension FetchJob {
    /// The status of the last response.
    var lastStatus: String? {
        for case .exchanged(let report) in snapshot.events.reversed() { return report.response?.status.text }
        return nil
    }

    /// The file, once it came whole.
    var file: DownloadedFile? {
        if case .done(let file, _) = snapshot.stage { file } else { nil }
    }

    /// The file, where it is a document in PDF that is not too long to be shown.
    var document: DownloadedFile? {
        guard let file, ContentKind(file.headerFields) == .pdf, file.length <= RequestGuard.largestPicture else {
            return nil
        }
        return file
    }

    /// The number of pages of the document; 0 where there is none, or it cannot be shown.
    var pageCount: Int {
        get async {
            guard let document else { return 0 }
            if let known = countedPages.withLockedValue({ $0 }) { return known }
            let count = await PictureScaler.pageCount(
                ofPDF: FilePrefix.read(document.path, upTo: RequestGuard.largestPicture))
            countedPages.withLockedValue { $0 = count }
            return count
        }
    }

    /// Removes what was fetched, whole or in part.
    func removeFile() {
        for ending in ["", ".part", ".part-note"] { try? FileManager.default.removeItem(atPath: path + ending) }
    }

    /// The name to keep the file under: the last part of its URL, in letters, digits, dots and dashes alone.
    var fileName: String {
        let place = (file?.url ?? url).prefix { $0 != "?" && $0 != "#" }
        let last = place.split(separator: "/").dropFirst(2).last ?? ""
        let text = last.filter { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }.drop { $0 == "." }
        return text.isEmpty ? "download" : String(text.prefix(100))
    }
}
