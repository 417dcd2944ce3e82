// SPDX-License-Identifier: BSD-2-Clause
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A small NIO server: requests of 32 bytes, answers of 32, some microseconds of work in between.
 *
 * <p>java Server PORTFILE all|each THREADS WORK_US
 *
 * <p>all: one selector watches all connections and hands those that are ready to a pool. each: every thread has a selector of its own,
 * and connections are dealt out to them.
 */
final class Server {
    private static final int FRAME = 32;
    private static long workNs;

    private static final class Connection {
        final ByteBuffer in = ByteBuffer.allocate(64 * FRAME);
        final ByteBuffer out = ByteBuffer.allocate(64 * FRAME);
    }

    private static void work() {
        long until = System.nanoTime() + workNs;
        while (System.nanoTime() < until) {
            Thread.onSpinWait();
        }
    }

    /** Answers what has come. False when the connection has ended. */
    private static boolean serve(SelectionKey key) {
        SocketChannel channel = (SocketChannel) key.channel();
        Connection connection = (Connection) key.attachment();
        try {
            if (channel.read(connection.in) < 0) {
                channel.close();
                return false;
            }
            connection.in.flip();
            while (connection.in.remaining() >= FRAME) {
                connection.in.position(connection.in.position() + FRAME);
                work();
                connection.out.clear().limit(FRAME);
                while (connection.out.hasRemaining()) {
                    channel.write(connection.out);
                }
            }
            connection.in.compact();
            return true;
        } catch (IOException e) {
            try {
                channel.close();
            } catch (IOException ignored) {
                // it is gone either way
            }
            return false;
        }
    }

    private static void register(SocketChannel channel, Selector selector) throws IOException {
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.register(selector, SelectionKey.OP_READ, new Connection());
        selector.wakeup();
    }

    private static void loop(Selector selector, ExecutorService pool) {
        try {
            while (true) {
                selector.select();
                for (SelectionKey key : selector.selectedKeys()) {
                    if (pool == null) {
                        serve(key);
                        continue;
                    }
                    key.interestOps(0); // until its answer is out, nobody else may take it
                    pool.execute(() -> {
                        if (serve(key)) {
                            key.interestOps(SelectionKey.OP_READ);
                            selector.wakeup();
                        }
                    });
                }
                selector.selectedKeys().clear();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Selector start(ExecutorService pool) throws IOException {
        Selector selector = Selector.open();
        Thread thread = new Thread(() -> loop(selector, pool), pool == null ? "selector" : "selector of all");
        thread.setDaemon(true);
        thread.start();
        return selector;
    }

    public static void main(String[] args) throws IOException {
        boolean all = args[1].equals("all");
        int threads = Integer.parseInt(args[2]);
        workNs = Long.parseLong(args[3]) * 1000;
        Selector[] selectors = new Selector[all ? 1 : threads];
        ExecutorService pool = all ? Executors.newFixedThreadPool(threads) : null;
        for (int i = 0; i < selectors.length; i++) {
            selectors[i] = start(pool);
        }
        ServerSocketChannel listener = ServerSocketChannel.open();
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1024);
        Path portFile = Path.of(args[0]);
        Path ready = Path.of(args[0] + ".tmp");
        Files.writeString(ready, ((InetSocketAddress) listener.getLocalAddress()).getPort() + "\n");
        Files.move(ready, portFile, StandardCopyOption.ATOMIC_MOVE);
        for (int i = 0;; i++) {
            register(listener.accept(), selectors[i % selectors.length]);
        }
    }
}
