// SPDX-License-Identifier: BSD-2-Clause
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.net.SocketFactory;

/**
 * Sockets that write down, for each exchange, when the first write call began and when the last read call returned: what a wait for the
 * other side truly took. An exchange ends when something is written after something was read.
 */
public final class StampedSockets extends SocketFactory {
	private static final Queue<String> EXCHANGES = new ConcurrentLinkedQueue<>();

	/** "exchange PORT FROM_NS TO_NS" each, by CLOCK_MONOTONIC; PORT is the local one. */
	static void report() {
		for (String line : EXCHANGES)
			System.out.println(line);
	}

	private static final class StampedSocket extends Socket {
		private long from, to;

		private synchronized void writes() {
			if (to != 0)
				write();
			if (from == 0)
				from = System.nanoTime();
		}

		private synchronized void hasRead() {
			to = System.nanoTime();
		}

		private synchronized void write() {
			EXCHANGES.add("exchange " + getLocalPort() + " " + from + " " + to);
			from = to = 0;
		}

		@Override
		public InputStream getInputStream() throws IOException {
			return new FilterInputStream(super.getInputStream()) {
				@Override
				public int read(byte[] bytes, int offset, int length) throws IOException {
					int nr = super.read(bytes, offset, length);

					hasRead();
					return nr;
				}

				@Override
				public int read() throws IOException {
					int value = super.read();

					hasRead();
					return value;
				}
			};
		}

		@Override
		public OutputStream getOutputStream() throws IOException {
			return new FilterOutputStream(super.getOutputStream()) {
				@Override
				public void write(byte[] bytes, int offset, int length) throws IOException {
					writes();
					out.write(bytes, offset, length);
				}

				@Override
				public void write(int value) throws IOException {
					writes();
					out.write(value);
				}
			};
		}

		@Override
		public synchronized void close() throws IOException {
			if (to != 0)
				write();
			super.close();
		}
	}

	@Override
	public Socket createSocket() {
		return new StampedSocket();
	}

	@Override
	public Socket createSocket(String host, int port) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Socket createSocket(String host, int port, InetAddress local, int localPort) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Socket createSocket(InetAddress host, int port) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) {
		throw new UnsupportedOperationException();
	}
}
