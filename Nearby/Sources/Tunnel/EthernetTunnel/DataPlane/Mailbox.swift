// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import CTunnel
    import Glibc
    import Synchronization

    /// Passes commands to the thread of a data plane, which waits until the descriptor is readable.
    final class Mailbox<Command: Sendable>: Sendable {
        let descriptor: Int32
        private let commands = Mutex<[Command]>([])

        init() throws(TunnelError) {
            descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
            guard descriptor >= 0 else { throw .lastSystemCall("wait for packets") }
        }

        deinit { close(descriptor) }

        func send(_ command: Command) {
            commands.withLock { $0.append(command) }
            _ = eventfd_write(descriptor, 1)
        }

        /// Returns all commands sent since the last call.
        func take() -> [Command] {
            var count: eventfd_t = 0
            _ = eventfd_read(descriptor, &count)
            return commands.withLock { commands in
                defer { commands = [] }
                return commands
            }
        }
    }

    /// Runs a function in a separate thread.
    enum DataPlaneThread {
        private final class Body: Sendable {
            let run: @Sendable () -> Void

            init(_ run: @escaping @Sendable () -> Void) { self.run = run }
        }

        static func start(_ run: @escaping @Sendable () -> Void) throws(TunnelError) {
            var thread = pthread_t()
            let body = Unmanaged.passRetained(Body(run))
            let code = pthread_create(
                &thread, nil,
                { context in
                    if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
                    return nil
                }, body.toOpaque())
            guard code == 0 else {
                body.release()
                throw .lastSystemCall("make a thread", code)
            }
            pthread_detach(thread)
        }
    }
#endif
