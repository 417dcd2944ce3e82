// SPDX-License-Identifier: BSD-2-Clause
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * Somebody whom a server asks, a byte for a byte. Run by itself it is the one asked: it says its port, and for each line of its standard
 * input, a number of ms, answers nobody for so long. In a server it asks the port in the property "peer", over a connection a thread.
 */
public final class Peer {
	private static final Object TURN = new Object();

	private final int port;
	private final ThreadLocal<Socket> connection = new ThreadLocal<>();

	private Peer(int port) {
		this.port = port;
	}

	/** null: there is none. */
	static Peer fromProperties() {
		Integer port = Integer.getInteger("peer");

		return port == null ? null : new Peer(port);
	}

	boolean ask() {
		try {
			if (connection.get() == null) {
				connection.set(new Socket(InetAddress.getLoopbackAddress(), port));
				connection.get().setTcpNoDelay(true);
			}
			connection.get().getOutputStream().write('?');
			return connection.get().getInputStream().read() == '?';
		} catch (IOException e) {
			System.err.println(e);
			return false;
		}
	}

	public static void main(String[] args) throws IOException, InterruptedException {
		ServerSocket listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
		Thread accepting = new Thread(() -> accept(listener), "accept");
		StringBuilder line = new StringBuilder();

		accepting.setDaemon(true);
		accepting.start();
		System.out.println("port " + listener.getLocalPort());
		for (int c = System.in.read(); c >= 0; c = System.in.read()) {
			if (c != '\n') {
				line.append((char) c);
				continue;
			}
			synchronized (TURN) {
				Thread.sleep(Long.parseLong(line.toString()));
			}
			line.setLength(0);
		}
	}

	private static void accept(ServerSocket listener) {
		try {
			while (true) {
				Socket socket = listener.accept();
				Thread answering = new Thread(() -> answer(socket), "answer");

				socket.setTcpNoDelay(true);
				answering.setDaemon(true);
				answering.start();
			}
		} catch (IOException e) {
			System.err.println(e);
		}
	}

	private static void answer(Socket socket) {
		try (socket) {
			InputStream in = socket.getInputStream();
			OutputStream out = socket.getOutputStream();

			for (int c = in.read(); c >= 0; c = in.read()) {
				synchronized (TURN) {
					out.write(c);
				}
			}
		} catch (IOException e) {
			System.err.println(e);
		}
	}
}
