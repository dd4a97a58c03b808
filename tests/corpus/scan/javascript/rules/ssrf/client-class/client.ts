import axios, { type AxiosInstance } from 'axios';

export class Client {
  private readonly http: AxiosInstance = axios.create({ timeout: 1000 });

  constructor(private readonly base: string) {}

  async get(path: string): Promise<unknown> {
    const { data } = await this.http.get(this.base + path); // sink: ssrf base
    return data;
  }
}
