// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto

#if os(Linux)
    internal import CBoringSSLAEAD

    /// A ChaCha20-Poly1305 key (RFC 8439) that encrypts in place, with a counter as the nonce.
    ///
    /// The type is `@unchecked` because of the pointer, which is set only once; BoringSSL only reads its target, which
    /// is freed with the last reference.
    final class TransportKey: @unchecked Sendable {
        private let context: OpaquePointer

        /// - Returns: `nil` if the key does not have 32 bytes, or no memory is available.
        init?(_ key: SymmetricKey) {
            guard key.bitCount == 256,
                let context = key.withUnsafeBytes({ key in
                    key.bindMemory(to: UInt8.self).baseAddress.flatMap(chacha20_poly1305_key_new)
                })
            else { return nil }
            self.context = context
        }

        deinit { chacha20_poly1305_key_free(context) }

        /// Encrypts the text at the start of a buffer in place, and appends the 16-byte tag.
        func seal(_ buffer: UnsafeMutableRawBufferPointer, count: Int, counter: UInt64) -> Bool {
            precondition(count >= 0 && count <= buffer.count - TransportLayout.tag)
            return Self.apply(chacha20_poly1305_seal, context, buffer, count, counter)
        }

        /// Decrypts a text with an appended tag in place; if the tag is wrong, the text is undefined.
        func open(_ buffer: UnsafeMutableRawBufferPointer, counter: UInt64) -> Bool {
            let count = buffer.count - TransportLayout.tag
            return count >= 0 && Self.apply(chacha20_poly1305_open, context, buffer, count, counter)
        }

        private static func apply(
            _ function: (OpaquePointer, UnsafePointer<UInt8>, UnsafeMutablePointer<UInt8>, Int) -> CInt,
            _ context: OpaquePointer, _ buffer: UnsafeMutableRawBufferPointer, _ count: Int, _ counter: UInt64
        ) -> Bool {
            let nonce = (
                UInt32(0), UInt32(truncatingIfNeeded: counter).littleEndian, UInt32(counter >> 32).littleEndian
            )
            return withUnsafeBytes(of: nonce) { nonce in
                guard let nonce = nonce.bindMemory(to: UInt8.self).baseAddress,
                    let text = buffer.bindMemory(to: UInt8.self).baseAddress
                else { return false }
                return function(context, nonce, text, count) == 1
            }
        }
    }
#else
    #if canImport(FoundationEssentials)
        internal import FoundationEssentials
    #else
        internal import Foundation
    #endif

    /// A ChaCha20-Poly1305 key (RFC 8439) with a counter as the nonce.
    final class TransportKey: Sendable {
        private let key: SymmetricKey

        /// - Returns: `nil` if the key does not have 32 bytes.
        init?(_ key: SymmetricKey) {
            guard key.bitCount == 256 else { return nil }
            self.key = key
        }

        /// Encrypts the text at the start of a buffer in place, and appends the 16-byte tag.
        func seal(_ buffer: UnsafeMutableRawBufferPointer, count: Int, counter: UInt64) -> Bool {
            let text = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            guard let nonce = try? Self.nonce(counter), let box = try? ChaChaPoly.seal(text, using: key, nonce: nonce)
            else { return false }
            buffer.copyBytes(from: box.ciphertext + box.tag)
            return true
        }

        /// Decrypts a text with an appended tag in place.
        func open(_ buffer: UnsafeMutableRawBufferPointer, counter: UInt64) -> Bool {
            guard buffer.count >= TransportLayout.tag, let nonce = try? Self.nonce(counter),
                let box = try? ChaChaPoly.SealedBox(combined: Data(nonce) + UnsafeRawBufferPointer(buffer)),
                let text = try? ChaChaPoly.open(box, using: key)
            else { return false }
            buffer.copyBytes(from: text)
            return true
        }

        private static func nonce(_ counter: UInt64) throws -> ChaChaPoly.Nonce {
            try ChaChaPoly.Nonce(data: [0, 0, 0, 0] + counter.littleEndianBytes)
        }
    }
#endif
