// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if Negotiate
    package import CGSSAPI

    extension gss_buffer_desc {
        /// Copies what the library has allocated, and gives it back to it.
        package mutating func takeBytes() -> [UInt8] {
            let bytes = Array(UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : length))
            var minor: OM_uint32 = 0
            _ = gss_release_buffer(&minor, &self)
            return bytes
        }
    }

    extension UnsafeRawBufferPointer {
        /// Lends the bytes to the library, which only reads them.
        package func withGSSBuffer<Result>(_ body: (gss_buffer_t) -> Result) -> Result {
            var buffer = gss_buffer_desc(length: count, value: UnsafeMutableRawPointer(mutating: baseAddress))
            return body(&buffer)
        }
    }

    extension Array<UInt8> {
        /// Lends the bytes to the library, which only reads them.
        package func withGSSBuffer<Result>(_ body: (gss_buffer_t) -> Result) -> Result {
            withUnsafeBytes { $0.withGSSBuffer(body) }
        }
    }

    extension gss_channel_bindings_struct {
        /// Lends bindings without addresses, as RFC 5929 and Windows have them; none where there is no channel.
        package static func with<Result>(
            _ applicationData: [UInt8]?, _ body: (gss_channel_bindings_t?) -> Result
        ) -> Result {
            guard let applicationData else { return body(nil) }
            return applicationData.withGSSBuffer {
                var bindings = gss_channel_bindings_struct()
                bindings.application_data = $0.pointee
                return body(&bindings)
            }
        }
    }
#endif
