// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The functions that composer-worker.js calls. Texts are in one buffer: the page writes the input there, and reads the
// output there. scripts/make/composer compiles this file together with Sources/Keychain/PasswordComposer.

private let capacity = 8192
// A WebAssembly instance has one thread.
private nonisolated(unsafe) let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)

/// Returns the address of the buffer, which has 8192 bytes.
@_cdecl("composer_buffer")
public func composerBuffer() -> UnsafeMutablePointer<UInt8> { buffer }

/// Replaces the domain or URL in the buffer with the name of the site.
///
/// - Parameter length: The number of input bytes in the buffer.
/// - Returns: The number of output bytes in the buffer.
@_cdecl("composer_site")
public func composerSite(_ length: Int32) -> Int32 {
    write(SiteName(utf8: bytes(0, length)).utf8)
}

/// Replaces the master password with its fingerprint: the names of the signs, a line feed, and SVG.
///
/// - Parameter length: The number of input bytes in the buffer.
/// - Returns: The number of output bytes in the buffer.
@_cdecl("composer_fingerprint")
public func composerFingerprint(_ length: Int32) -> Int32 {
    let fingerprint = ComposerFingerprint(of: master(length))
    return write(fingerprint.words + ascii("\n") + fingerprint.picture)
}

/// Replaces the concatenated master password, domain and login with the password.
///
/// - Parameters:
///   - masterLength: The number of bytes of the master password.
///   - domainLength: The number of bytes of the domain or URL.
///   - loginLength: The number of bytes of the login.
///   - mode: The number of the mode, as in the switch below.
///   - counter: The counter, which starts at 1.
///   - length: The number of characters.
///   - choice: The sum of the character classes; for Spectre, the number of the template.
/// - Returns: The number of output bytes in the buffer; a negative result is the negated number of an error.
@_cdecl("composer_compose")
public func composerCompose(
    _ masterLength: Int32, _ domainLength: Int32, _ loginLength: Int32, _ mode: Int32, _ counter: UInt32,
    _ length: Int32, _ choice: UInt32
) -> Int32 {
    let site = SiteName(utf8: bytes(masterLength, domainLength))
    let account = ComposerAccount(loginBytes: bytes(masterLength + domainLength, loginLength), counter: counter)
    let classes = CharacterClasses(rawValue: UInt8(truncatingIfNeeded: choice))
    let characters = ComposerCharacters(classes, length: Int(length))
    let composerMode: ComposerMode
    switch mode {
    case 0: composerMode = .modern(account, characters)
    case 1: composerMode = .classic(.lowBytes)
    case 2: composerMode = .classic(.utf8)
    case 3: composerMode = .lessPass(account, characters)
    case 4: composerMode = .superGenPass(.md5, length: Int(length))
    case 5: composerMode = .superGenPass(.sha512, length: Int(length))
    default:
        composerMode = .spectre(account, SpectreTemplate(rawValue: UInt8(truncatingIfNeeded: choice)) ?? .long)
    }
    let master = master(masterLength)
    do throws(CompositionError) {
        let password = try composerMode.compose(master, for: site)
        return password.withUnsafeBytes { password in
            for index in password.indices { buffer[index] = password[index] }
            return Int32(password.count)
        }
    } catch {
        return -number(of: error)
    }
}

private func number(of error: CompositionError) -> Int32 {
    switch error {
    case .noMaster: 1
    case .noDomain: 2
    case .noLogin: 3
    case .length: 4
    case .noCharacterClass: 5
    case .counterZero: 6
    }
}

/// Reads the master password from the beginning of the buffer, and overwrites it there with zeros.
private func master(_ length: Int32) -> SecretBytes {
    let count = clamped(length)
    let master = SecretBytes(copying: UnsafeRawBufferPointer(start: buffer, count: count))
    buffer.update(repeating: 0, count: count)
    return master
}

private func bytes(_ start: Int32, _ count: Int32) -> [UInt8] {
    let start = clamped(start)
    return Array(UnsafeBufferPointer(start: buffer + start, count: min(clamped(count), capacity - start)))
}

private func clamped(_ number: Int32) -> Int { min(max(Int(number), 0), capacity) }

private func write(_ bytes: [UInt8]) -> Int32 {
    for index in 0..<min(bytes.count, capacity) { buffer[index] = bytes[index] }
    return Int32(min(bytes.count, capacity))
}
