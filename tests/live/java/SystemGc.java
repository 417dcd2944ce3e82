// SPDX-License-Identifier: BSD-2-Clause
/** Asks for full collections while another thread computes. Arguments: seconds gap-ms. */
public class SystemGc {
	private static volatile long sink;

	public static void main(String[] args) throws InterruptedException {
		long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;
		long gap = args.length > 1 ? Long.parseLong(args[1]) : 50;
		Thread worker = new Thread(() -> compute(end), "compute");
		byte[][] live = new byte[4096][];

		for (int i = 0; i < live.length; i++)
			live[i] = new byte[1024];
		worker.start();
		while (System.nanoTime() < end) {
			System.gc();
			Thread.sleep(gap);
		}
		sink += live.length;
	}

	private static void compute(long end) {
		long x = 1;

		while (System.nanoTime() < end)
			for (int i = 0; i < 1000; i++)
				x = x * 31 + i;
		sink = x;
	}
}
