// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A picture as it is kept: scaled, and without what the camera wrote into it, such as the place.
struct ScaledPicture: Sendable {
    /// In JPEG.
    let picture: [UInt8]
    /// In JPEG, for the list.
    let thumbnail: [UInt8]
    /// Where it came from, as a title to begin with; empty for none.
    let title: String

    static let mediaType = "image/jpeg"
    /// The longer side, in pixels.
    static let largestSide = 2048
    static let thumbnailSide = 320
}
