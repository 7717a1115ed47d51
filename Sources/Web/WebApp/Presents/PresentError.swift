// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ErrorExplanations

/// The reason why the presents page refuses a request.
package enum PresentError: Error, Hashable {
    /// A picture file exceeds the limit. Holds the limit in bytes.
    case pictureTooLong(limit: Int)
    case tooManyPixels(width: Int, height: Int, limit: Int)
    case unreadablePicture
    /// The libvips programs are not installed.
    case noScaler
    /// An uploaded picture or file is no longer stored.
    case uploadExpired
    case noPresent
    /// The fetched file is not a picture.
    case notPicture
    /// A sealed file exceeds the limit. Holds the limit in bytes.
    case sealedFileTooLong(limit: Int)
    /// The chosen file is not a sealed file.
    case noSealedFile
    case damagedSealedFile
    case wrongSealedPassphrase
    /// The sealed file was made by another version of the software. Holds its format.
    case otherSealedVersion(Int64)
}

extension PresentError: CataloguedError {
    package var explanation: ErrorExplanation {
        switch self {
        case .pictureTooLong(let limit):
            ErrorExplanation(
                "presents.picture-too-long", "The picture's file is longer than \(limit >> 20) MiB.",
                reason: "The server reads no more than that of a picture. Nothing was kept.",
                advice: "Save the picture smaller, and choose it again.")
        case .tooManyPixels(let width, let height, let limit):
            ErrorExplanation(
                "presents.too-many-pixels", "The picture has \(width) by \(height) pixels.",
                reason:
                    "More than \(limit / 1_000_000) million pixels are not decoded, because a small file can hold any number. Nothing was kept.",
                advice: "Save the picture smaller, and choose it again.")
        case .unreadablePicture:
            ErrorExplanation(
                "presents.unreadable-picture", "The file is not a picture that can be read.",
                reason: "It is cut off, damaged, or of another format. Nothing was kept.",
                advice: "Choose a picture in JPEG, PNG, WebP, GIF, HEIF or TIFF.")
        case .noScaler:
            ErrorExplanation(
                "presents.no-scaler", "Pictures cannot be read on this computer.",
                reason: "The programs vipsheader and vipsthumbnail of libvips are not installed.",
                advice: "Install libvips-tools with apt-get, or vips with Homebrew. Presents without pictures work.")
        case .uploadExpired:
            ErrorExplanation(
                "presents.upload-gone", "The file that you sent is no longer stored.",
                reason: "The latest files wait until the keychain is locked or the program ends. Nothing was changed.",
                advice: "Go back, and choose the file again.")
        case .noPresent:
            ErrorExplanation(
                "presents.no-present", "There is no such present.",
                reason: "It was deleted, or is of another keychain.", advice: "Look for it in the list.")
        case .notPicture:
            ErrorExplanation(
                "presents.nothing-to-keep", "This fetch returned no picture.",
                reason: "Only a complete picture can be kept as a present.", advice: "Fetch a picture.")
        case .sealedFileTooLong(let limit):
            ErrorExplanation(
                "presents.sealed-file-too-long", "The sealed file is longer than \(limit >> 20) MiB.",
                reason: "The server reads no more than that. Nothing was added.",
                advice: "Share fewer presents in one file.")
        case .noSealedFile:
            ErrorExplanation(
                "presents.no-sealed-file", "The file that you chose is not a sealed file.",
                reason: "It is of another kind, or empty. Nothing was added, and your keychain is as it was.",
                advice: "Choose the file that was made by “Share sealed”.")
        case .damagedSealedFile:
            ErrorExplanation(
                "presents.damaged-sealed-file", "The sealed file is damaged.",
                reason: "It was cut off or changed on its way. Nothing was added, and your keychain is as it was.",
                advice: "Get the file once more from the person who made it.")
        case .wrongSealedPassphrase:
            ErrorExplanation(
                "presents.wrong-sealed-passphrase", "The passphrase does not open the sealed file.",
                reason: "It is mistyped, or is that of another file. Nothing was added.",
                advice: "Type the passphrase that the file was made with.")
        case .otherSealedVersion(let version):
            ErrorExplanation(
                "presents.other-sealed-version",
                "The sealed file has format \(version), and this software knows format 1.",
                reason: "It was made by another version of this software. Nothing was added.",
                advice: "Use the newest version.")
        }
    }

    package static var examples: [PresentError] {
        [
            .pictureTooLong(limit: 24 << 20), .tooManyPixels(width: 10_000, height: 10_000, limit: 64_000_000),
            .unreadablePicture, .noScaler, .uploadExpired, .noPresent, .notPicture,
            .sealedFileTooLong(limit: 256 << 20), .noSealedFile, .damagedSealedFile, .wrongSealedPassphrase,
            .otherSealedVersion(2),
        ]
    }
}
